"""Counts what `go run ./internal/bench/pollock` has written, with Pollock's own measures.

    python3 internal/bench/pollock/score.py POLLOCK RESULTS

POLLOCK is the repository of the benchmark; its packages joblib, multiset, numpy and chardet are needed."""
import json
import os
import sys


def main(pollock, results):
    sys.path.insert(0, pollock)
    from pollock.metrics import header_record_cell_measures_csv, successful_csv

    with open(os.path.join(pollock, "pollock_weights.json")) as f:
        weights = json.load(f)
    score = {}
    for name in sorted(os.listdir(os.path.join(pollock, "polluted_files", "csv"))):
        loaded = os.path.join(results, name + "_converted.csv")
        done = os.path.exists(loaded) and successful_csv(loaded)
        score[name] = [1, *header_record_cell_measures_csv(os.path.join(pollock, "polluted_files", "clean", name), loaded)] if done else [0] * 10
    n, all_weights = len(score), sum(weights.get(name, -1) for name in score)
    names = "success header_p header_r header_f1 record_p record_r record_f1 cell_p cell_r cell_f1".split()
    print(f"{n} files:", *(f"{name} {sum(s[i] for s in score.values()) / n:.4f}" for i, name in enumerate(names)))
    print(f"simple {sum(map(sum, score.values())) / n:.3f}, weighted {sum(sum(s) * weights.get(name, -1) for name, s in score.items()) / all_weights:.3f}")
    for name in sorted(score, key=lambda name: sum(score[name]))[:20]:
        print(f"    {sum(score[name]):.3f} {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
