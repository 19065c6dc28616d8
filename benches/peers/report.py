"""The results as a Markdown table between two marks of docs/performance.md, and as SVG plots."""

import math

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
RIGHT = 1e-9
COLOURS = ["#0a6ebd", "#c4501b", "#3c8d40", "#7a4fa3"]


def figure(x):
    return f"{x:.3g}" if x < 1000 else f"{x:,.0f}"


def entry(x):
    mark = "" if x["right"] else " **wrong**"
    return f"{x['name']} {figure(x['us'])} ({x['error']:.0e}{mark})"


def ratio(row):
    """The best right peer over us."""
    if not row["peers"]:
        return "-"
    right = [x["us"] for x in row["peers"] if x["right"]]
    return f"{min(right) / row['ours']['us']:.2g}" if right and row["ours"]["right"] else "no peer is right"


def evaluations(rows):
    lines = ["| case | holonom, µs (error) | peers, µs (error) | best right peer over holonom |", "|---|---|---|---|"]
    for row in rows:
        ours = entry(row["ours"]).removeprefix("holonom ")
        peers = "; ".join(entry(x) for x in row["peers"]) or "-"
        lines.append(f"| {row['case']} | {ours} | {peers} | {ratio(row)} |")
    return lines


def steps(rows):
    lines = [
        "| model | holonom, µs (largest gap) | with | in joint coordinates, µs (largest gap) | MuJoCo, µs | MuJoCo over the faster of ours |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        joint = row.get("joint")
        least = min(row["us"], joint["us"]) if joint else row["us"]
        q = f"{row['mujoco'] / least:.2g}" if row["mujoco"] else "-"
        there = figure(row["mujoco"]) if row["mujoco"] else row["why"]
        along = f"{figure(joint['us'])} ({joint['gap']:.0e})" if joint else "-"
        lines.append(f"| {row['text']} | {figure(row['us'])} ({row['gap']:.0e}) | `{row['integrator']}` | {along} | {there} | {q} |")
    return lines


def markdown(data):
    head = (
        f"{data['date']}, {data['cpu']}, {data['cores']} cores, load average {data['load']} at the start: "
        + ", ".join(f"{k} {v}" for k, v in data["versions"].items())
        + f"; rounds: {data['rounds']}. {data['note']}".rstrip()
    )
    return "\n".join([head, "", "One evaluation:", "", *evaluations(data["evaluations"]), "", "One step of 1 ms:", "", *steps(data["steps"])])


def insert(page, text):
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


def curves(data, kind):
    """{name: [(n, us, right)]} of the evaluations and of the steps of chain a or b."""
    out = {}
    for row in data["evaluations"]:
        if row["case"][0] == kind:
            for x in [row["ours"], *row["peers"]]:
                out.setdefault(x["name"], []).append((row["n"], x["us"], x["right"]))
    steps = {}
    for row in data["steps"]:
        if row["name"][0] == kind and row["name"][1:].isdigit():
            steps.setdefault("holonom", []).append((row["n"], row["us"], True))
            if row.get("joint"):
                steps.setdefault("joint coordinates", []).append((row["n"], row["joint"]["us"], True))
            if row["mujoco"]:
                steps.setdefault("MuJoCo", []).append((row["n"], row["mujoco"], True))
    return out, steps


def plot(title, lines):
    """Log-log, in px; hollow points are wrong answers."""
    width, height, left, right, top, bottom = 720, 440, 70, 150, 40, 50
    points = [p for line in lines.values() for p in line]
    x0, x1 = math.floor(math.log10(min(p[0] for p in points))), math.ceil(math.log10(max(p[0] for p in points)))
    y0, y1 = math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points)))
    x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)

    def place(n, us):
        x = left + (math.log10(n) - x0) / (x1 - x0) * (width - left - right)
        return x, height - bottom - (math.log10(us) - y0) / (y1 - y0) * (height - top - bottom)

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/><text x="{left}" y="24" font-size="15">{title}</text>',
    ]
    for k in range(x0, x1 + 1):
        x = place(10**k, 10**y0)[0]
        svg.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{height - bottom}" stroke="#ddd"/>')
        svg.append(f'<text x="{x}" y="{height - bottom + 18}" text-anchor="middle">{10**k:,}</text>')
    for k in range(y0, y1 + 1):
        y = place(10**x0, 10.0**k)[1]
        svg.append(f'<line x1="{left}" x2="{width - right}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        svg.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{10.0**k:g}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">links</text>')
    svg.append(f'<text x="16" y="{top - 6}">µs</text>')
    for colour, (name, line) in zip(COLOURS, lines.items()):
        svg.extend(curve(colour, name, [(*place(n, us), good) for n, us, good in sorted(line)]))
    return "\n".join(svg + ["</svg>"]) + "\n"


def curve(colour, name, points):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y, good in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" stroke="{colour}" fill="{colour if good else "white"}"/>'
    x, y, _ = points[-1]
    yield f'<text x="{x + 9:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}</text>'
