"""Two builds of heddle_workloads against each other: JSON lines, and a table of ratios at the end.

usage: compare.py [--sizes cpu|gpu] [--runs N] [--seconds S] [--rounds N] BEFORE AFTER [CASE...]

Both run in processes of their own and take turns, so that what the machine does meanwhile slows
both alike. The ratio is the time of AFTER over that of BEFORE: below 1, AFTER is faster. The band is
the smallest and largest ratio of one round, which says how much the figure is worth.
"""
import argparse
import json
import statistics
import subprocess


class Build:
    """One build, one case; waits while the other has its turn."""

    def __init__(self, program, case):
        self.p = subprocess.Popen([program, *options, "--paced", case], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.line = None
        self.paced = self.until_ready()

    def until_ready(self):
        for text in self.p.stdout:
            record = json.loads(text)
            if record.get("ready"):
                return True
            self.line = record if "seconds" in record else self.line
        return False

    def burst(self):
        """The median of one burst, in seconds."""
        self.p.stdin.write("report\n")
        self.p.stdin.flush()
        self.until_ready()
        return self.line["seconds"]

    def finish(self):
        self.p.stdin.close()
        self.p.wait()


def pairs_of(case):
    """(before, after) of each round, in seconds."""
    builds = [Build(p, case) for p in (args.before, args.after)]
    if not all(b.paced for b in builds):  # a case that has bursts of its own
        for b in builds:
            b.finish()
        return [tuple(Build(p, case).line["seconds"] for p in (args.before, args.after))
                for _ in range(args.rounds)]
    pairs = []
    for k in range(args.rounds):
        order = builds if k % 2 == 0 else builds[::-1]
        took = {b: b.burst() for b in order}
        pairs.append((took[builds[0]], took[builds[1]]))
    for b in builds:
        b.finish()
    return pairs


parser = argparse.ArgumentParser()
parser.add_argument("--sizes", choices=("cpu", "gpu"))
parser.add_argument("--runs", type=int, default=200, help="of a build in a round, at most")
parser.add_argument("--seconds", type=float, default=0.2, help="of a build in a round")
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("before")
parser.add_argument("after")
parser.add_argument("cases", nargs="*")
args = parser.parse_args()
options = ["--runs", str(args.runs), "--seconds", str(args.seconds)]
if args.sizes:
    options += ["--sizes", args.sizes]


def listed(program):
    return subprocess.run([program, "--list"], capture_output=True, text=True).stdout.split()


common = set(listed(args.before))
rows = []
for case in args.cases or [c for c in listed(args.after) if c in common]:
    pairs = pairs_of(case)
    ratios = [b / a for a, b in pairs]
    rows.append((case, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
                 statistics.median(ratios), min(ratios), max(ratios)))
    print(json.dumps(dict(zip(("case", "before", "after", "ratio", "lowest", "highest"), rows[-1]))),
          flush=True)
print("\n| case | before, µs | after, µs | ratio | band |\n|---|---|---|---|---|")
for case, a, b, ratio, low, high in rows:
    print(f"| {case} | {a * 1e6:.2f} | {b * 1e6:.2f} | {ratio:.3f} | {low:.3f} to {high:.3f} |")
