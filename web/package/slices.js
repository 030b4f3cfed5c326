// Work in slices. Between two of them messages are read, so that a stop needs no memory that threads share.

/** Longest slice, in ms. */
const SLICE = 10;

const channel = new MessageChannel();
/** @type {(() => void) | undefined} */
let woken;
channel.port1.onmessage = () => woken?.();
/** Lets all messages be read that have come. A timer would take 4 ms for this. */
const pause = () => new Promise((resolve) => {
  woken = () => resolve(undefined);
  channel.port2.postMessage(null);
});

/**
 * Steps until all is done, the time is over or somebody says stop. At least one step is made.
 * @param {object} work
 * @param {(visits: number) => number} work.step 0 when there is more to find, 1 with news, 2 when all is done
 * @param {number} work.pace the visits of a step
 * @param {number} work.end when to end, by `performance.now()`
 * @param {() => boolean} work.isStopped
 * @param {() => void} work.onNews
 * @returns {Promise<boolean>} whether all was done
 */
export async function sliced({ step, pace, end, isStopped, onNews }) {
  let sliceEnd = performance.now() + SLICE;
  for (;;) {
    const stepped = step(pace);
    if (stepped === 2) return true;
    if (stepped === 1) onNews();
    const now = performance.now();
    if (now >= end) return false;
    if (now >= sliceEnd) {
      await pause();
      if (isStopped()) return false;
      sliceEnd = performance.now() + SLICE;
    }
  }
}
