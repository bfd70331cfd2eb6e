"""Runs a command on a pseudo-terminal of 80x24 cells: terminal.py STEPS COMMAND...

STEPS is a list separated by `|`: a text that must appear before the keys after `=>` are sent. An empty text waits for an answer
and half a second of silence: a screen sends only the cells that changed, so that words of later frames come in pieces. Prints what
the terminal got, then whether the terminal's mode is the same as before, and the exit status.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

LIMIT = 120  # seconds


def main():
    steps = [step.split("=>") for step in sys.argv[1].split("|") if step]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(sys.argv[2], sys.argv[2:])
    before = termios.tcgetattr(terminal)
    shown, seen, end, last = b"", 0, time.monotonic() + LIMIT, time.monotonic()
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
            last = time.monotonic()
        text = steps[0][0].encode() if steps else b""
        quiet = time.monotonic() > last + 0.5
        if steps and len(shown) > seen and (text in shown[seen:] if text else quiet):
            seen = len(shown)
            # The program first handles what it was sent before.
            os.write(terminal, steps.pop(0)[1].encode().decode("unicode_escape").encode())
    else:
        os.kill(child, 9)
    same = termios.tcgetattr(terminal) == before
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.stdout.buffer.write(shown)
    print(f"\nMODE {'restored' if same else 'changed'}, STATUS {status}, LEFT {len(steps)}")


main()
