"""The table of a results file: report.py RESULTS.json > RESULTS.md

A row a case: Heddle's median, each peer's, and the ratio to the fastest peer (above 1: Heddle is
faster). Warns where a peer computed another value.
"""
import json
import sys

records = [json.loads(x) for x in open(sys.argv[1]) if x.strip()]
head = next(r for r in records if "machine" in r)
cases, systems = {}, []
for r in records:
    if "case" in r:
        cases.setdefault(r["case"], {}).setdefault(r["system"], {}).update(r)
        if r["system"] not in systems:
            systems.append(r["system"])
peers = [s for s in systems if s != "heddle"]


def seconds(r):
    if r is None:
        return ""
    if "error" in r:
        return "failed"
    s = r["seconds"]
    if s >= 1:
        return f"{s:.2f} s"
    return f"{s * 1e3:.2f} ms" if s >= 1e-3 else f"{s * 1e6:.2f} µs" if s >= 1e-6 else f"{s * 1e9:.0f} ns"


def rate(r):
    return f"{r['GBps']:.1f}" if "GBps" in r else ""


m = head["machine"]
print(f"# {head['date']}, commit {head['commit']}\n")
print(f"CPU: {m['cpu']}, {m['cores']} cores, {m['memory']}.  ")
print(f"GPU: {m['gpu'] or 'none used'}.  ")
versions = {k: v for r in records for k, v in r.get("versions", {}).items()}
print("Peers: " + (", ".join(f"{k} {v}" for k, v in versions.items()) or "none") + ".\n")
print("Medians. Ratio: time of the fastest peer over Heddle's.\n")
print("| case | n | heddle | GB/s | " + " | ".join(peers) + (" | " if peers else "") + "ratio |")
print("|---|---|---|---|" + "---|" * len(peers) + "---|")
warnings = []
for case, by in cases.items():
    h = by.get("heddle")
    best = min((r["seconds"] for s, r in by.items() if s != "heddle" and "seconds" in r), default=None)
    ratio = f"{best / h['seconds']:.2f}" if h and best else ""
    cells = [seconds(by.get(s)) for s in peers]
    n = h["n"] if h else ""
    print(f"| {case} | {n} | {seconds(h)} | {rate(h) if h else ''} | "
          + "".join(c + " | " for c in cells) + f"{ratio} |")
    for s in peers:
        a, b = (h or {}).get("check"), by.get(s, {}).get("check")
        tolerance = 1e-3 if "f32" in case else 1e-9
        if a is not None and b is not None and not case.startswith("random_") and abs(a - b) > tolerance * max(1, abs(a), abs(b)):
            warnings.append(f"{case}: heddle computed {a!r}, {s} {b!r}")
        if "error" in by.get(s, {}):
            warnings.append(f"{case}: {s} failed: {by[s]['error']}")
    if h and case in ("million_nodes", "first_use"):
        extra = {k: v for k, v in h.items() if k not in ("case", "system", "n", "seconds")}
        warnings.append(f"{case}: " + ", ".join(f"{k} {v}" for k, v in extra.items()))
if warnings:
    print("\n" + "\n".join(f"- {w}" for w in warnings))
