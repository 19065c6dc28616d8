#!/usr/bin/env python3
"""How high may a misplaced stone stand before a cyclist is hurt?

Runs the scene `bike-rider` (after Tasora 2001, section 6) over stones of 0 to 60 mm, with edges worn round and sharp, on well inflated 28-622 tyres and on
low-inflated mountain tyres, and judges every ride by a criterion that is stated below. Needs Python 3 and the program, nothing else:

    python3 studies/bike_step_height.py                      # table as Markdown, and the answer
    python3 studies/bike_step_height.py --csv heights.csv    # all figures as CSV as well
    python3 studies/bike_step_height.py --heights 0,20,40 --speed 6 --holonom target/release/holonom

The criterion is a choice of this study; the paper asks the question and states none. A ride is acceptable if all of these hold after the front wheel has met
the stone:

  spine   the largest upward acceleration of the pelvis, above rest, is at most 25 m/s^2. ISO 2631-5:2004 (annex A) takes 0.032 MPa of compression of the
          lumbar spine per m/s^2 of its peak and calls the probability of an adverse effect high above 0.8 MPa, 0.8/0.032 = 25, and low below 0.5 MPa, 15.6:
          the heights up to which it is low are given as well. (The standard means a daily dose, and the response of the spine; here one shock is the
          day's dose, and the pelvis stands for the spine.)
  hands   no hand pulls or pushes with more than 400 N: about what a man's grip holds (mean maximal grip strength is 450 to 500 N).
  wheel   the front wheel leaves the ground for at most 0.25 s at a time, about the time to react: so long nobody steers.
  path    the frame strays at most 0.3 m from the straight path within the 3 s.

The loads on the rim (deflections beyond the tyre) are in the figures of the tyre's load: above 3.8 kN a 28 mm tyre is through to its rim.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

SPINE = 25.0   # m/s^2
LOW = 15.6     # m/s^2
HANDS = 400.0  # N
AIR = 0.25     # s
PATH = 0.3     # m
SHAPES = [("round", 0), ("sharp", 1)]
TYRES = [("28-622", 0), ("soft mountain", 1)]
FIGURES = ["pelvis", "head", "hand", "seat", "pedal", "tyre", "air_front", "air_rear", "path"]
UNITS = {"pelvis": "m/s^2", "head": "m/s^2", "hand": "N", "seat": "N", "pedal": "N", "tyre": "N",
         "air_front": "s", "air_rear": "s", "path": "m"}


def ride(program, scene, settings, folder):
    """One ride: the recording as a dictionary of columns, and what the program says of the run."""
    out = os.path.join(folder, "ride.csv")
    if os.path.exists(out):
        os.remove(out)
    command = [program, "run", scene, "--json", "--out", out]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr.strip()}")
    report = json.loads(done.stdout.strip().splitlines()[-1])
    with open(out, newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    columns = {name: [] for name in rows[0]}
    for row in rows[1:]:
        for name, text in zip(rows[0], row):
            columns[name].append(float(text))
    return columns, report


def size(columns, name):
    """Length of a vector in every sample."""
    parts = [columns[f"{name}.{axis}"] for axis in "xyz"]
    return [sum(c * c for c in v) ** 0.5 for v in zip(*parts)]


def longest_flight(times, loads, begin):
    """Longest time without load on a tyre, s."""
    longest, since = 0.0, None
    for t, load in zip(times, loads):
        if t < begin or load > 1.0:
            since = None
        elif since is None:
            since = t
        else:
            longest = max(longest, t - since)
    return longest


def judge(columns, begin):
    """The figures of one ride from the moment the stone is met."""
    times = columns["time"]
    later = [k for k, t in enumerate(times) if t >= begin]
    peak = lambda values: max(values[k] for k in later)
    magnitude = lambda *names: max(peak(size(columns, name)) for name in names)
    return {
        "pelvis": peak(columns["pelvis.acc.z"]),
        "head": peak(columns["head.acc.z"]),
        "hand": magnitude("hand-left.force", "hand-right.force"),
        "seat": peak(columns["seat-cushion.pelvis.force.z"]),
        "pedal": magnitude("pedal-left.force", "pedal-right.force"),
        "tyre": max(peak(columns["rear-tyre.rear-wheel.force.z"]), peak(columns["front-tyre.front-wheel.force.z"])),
        "air_front": longest_flight(times, columns["front-tyre.front-wheel.force.z"], begin),
        "air_rear": longest_flight(times, columns["rear-tyre.rear-wheel.force.z"], begin),
        "path": peak([abs(y) for y in columns["path.coordinate.1"]]),
    }


def faults(f):
    """Which parts of the criterion do not hold."""
    parts = [("spine", f["pelvis"] > SPINE), ("hands", f["hand"] > HANDS), ("wheel", f["air_front"] > AIR), ("path", f["path"] > PATH)]
    return [name for name, broken in parts if broken]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--holonom", default="holonom", help="the program")
    parser.add_argument("--scene", default="bike-rider", help="scene of the gallery, or a file")
    parser.add_argument("--heights", default="0,5,10,15,20,25,30,35,40,45,50,55,60", help="mm, separated by commas")
    parser.add_argument("--speed", type=float, default=5.0, help="m/s")
    parser.add_argument("--mass", type=float, default=75.0, help="of the rider, kg")
    parser.add_argument("--csv", help="write all figures to this file")
    options = parser.parse_args()
    heights = [float(h) for h in options.heights.split(",")]
    begin = (5.0 - 1.05 - 0.5) / options.speed  # s: half a metre before the front wheel meets the stone
    rows, answers = [], []
    print(f"Rider {options.mass:g} kg at {options.speed:g} m/s. Peaks after the stone is met; vertical accelerations in m/s^2 above rest, forces in N.\n")
    print("| stone | tyre | mm | pelvis | head | hand | seat | pedal | tyre load | front off (s) | rear off (s) | off path (m) | fails |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for shape, shape_number in SHAPES:
            for tyre, soft in TYRES:
                last_good, last_low, failed, beyond_low = None, None, None, False
                for height in heights:
                    settings = {"step": height / 1000, "shape": shape_number, "soft": soft, "speed": options.speed, "mass": options.mass}
                    columns, report = ride(options.holonom, options.scene, settings, folder)
                    f = judge(columns, begin)
                    wrong = faults(f)
                    rows.append({"stone": shape, "tyres": tyre, "height_mm": height, **f, "fails": " ".join(wrong), "largest_gap_m": report["max_gap"]})
                    print(f"| {shape} | {tyre} | {height:g} | {f['pelvis']:.1f} | {f['head']:.1f} | {f['hand']:.0f} | {f['seat']:.0f} | {f['pedal']:.0f} "
                          f"| {f['tyre']:.0f} | {f['air_front']:.3f} | {f['air_rear']:.3f} | {f['path']:.3f} | {', '.join(wrong) or '-'} |", flush=True)
                    if wrong and failed is None:
                        failed = (height, wrong)
                    if failed is None:
                        last_good = height
                    beyond_low = beyond_low or bool(wrong) or f["pelvis"] > LOW
                    if not beyond_low:
                        last_low = height
                answers.append((shape, tyre, last_low, last_good, failed))
    print(f"\nCriterion: pelvis <= {SPINE:g} m/s^2, hand <= {HANDS:g} N, front wheel off the ground <= {AIR} s, off the path <= {PATH} m.")
    print("Acceptable is the largest height below all that fail: heights above it may pass by chance, when a wheel lands at a good moment.\n")
    print(f"| stone | tyre | acceptable | pelvis <= {LOW} m/s^2 up to | first to fail |")
    print("|---|---|---:|---:|---|")
    for shape, tyre, low, good, failed in answers:
        shown = ["none tested" if h is None else f"{h:g} mm" for h in (good, low)]
        beyond = "none up to the largest tested" if failed is None else f"{failed[0]:g} mm: {', '.join(failed[1])}"
        print(f"| {shape} | {tyre} | {shown[0]} | {shown[1]} | {beyond} |")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
