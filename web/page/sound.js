// Short sounds, made on the spot.

/** @type {AudioContext | undefined} */
let context;

/** @type {Record<string, [number, number][]>} pairs of frequency in Hz and length in seconds */
const TUNES = {
  move: [[330, 0.07]], shot: [[520, 0.04], [180, 0.09]], won: [[392, 0.12], [494, 0.12], [587, 0.2]], lost: [[294, 0.15], [220, 0.25]],
};

/** @param {"move" | "shot" | "won" | "lost"} what */
export function play(what) {
  try {
    context ??= new AudioContext();
    let at = context.currentTime;
    for (const [frequency, length] of TUNES[what]) {
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      tone.type = "triangle";
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.12, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + length);
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + length);
      at += length;
    }
  } catch {
    // A device without sound plays on in silence.
  }
}
