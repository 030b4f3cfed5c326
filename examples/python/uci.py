"""Plays a game against itself over UCI: uci.py [HIPPOLYTA] [LEVEL] [SIZE]"""

import subprocess
import sys


class Engine:
    """A program that speaks UCI, started as a process."""

    def __init__(self, program, level, size):
        self.process = subprocess.Popen(
            [program, "engine", "--protocol", "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ask("uci", "uciok")
        self.say(f"setoption name Level value {level}")
        self.say(f"setoption name Size value {size}")
        self.ask("isready", "readyok")

    def say(self, line):
        print(line, file=self.process.stdin, flush=True)

    def ask(self, line, answer):
        """Says a line, and gives the line that begins with the answer."""
        self.say(line)
        for heard in self.process.stdout:
            if heard.split()[:1] == [answer]:
                return heard.strip()
        sys.exit(f"the engine ended before it said {answer}")

    def choose(self, moves, milliseconds):
        """The engine's move after these, as in `d1d7,d7g7`; None when there is none."""
        self.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        move = self.ask(f"go movetime {milliseconds}", "bestmove").split()[1]
        return None if move in ("(none)", "0000") else move

    def quit(self):
        self.say("quit")
        self.process.wait()


def main(program="hippolyta", level="hard", size="6"):
    engine = Engine(program, level, size)
    moves = []
    while (move := engine.choose(moves, 100)) is not None:
        moves.append(move)
        print(len(moves), move)
    print("Black" if len(moves) % 2 == 0 else "White", "has won")
    engine.quit()


if __name__ == "__main__":
    main(*sys.argv[1:])
