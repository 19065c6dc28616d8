"""Talos from example-robot-data, without its meshes, which nothing here needs."""

import pathlib
import sys
import xml.etree.ElementTree as tree

FOLDER = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots"


def source():
    found = [pathlib.Path(p) / FOLDER / "talos_full_v2.urdf" for p in sys.path]
    return next(p for p in found if p.exists())


def remove(parent, *names):
    for name in names:
        for child in parent.findall(name):
            parent.remove(child)


def bare():
    root = tree.parse(source()).getroot()
    for link in root.findall("link"):
        remove(link, "visual", "collision")
    return root


def write(folder):
    """The variants: [(name, what it is, file, free base)]."""
    whole, plain, hung = bare(), bare(), bare()
    for joint in plain.findall("joint"):
        remove(joint, "mimic", "dynamics", "safety_controller")
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
            remove(joint, "limit")
    children = {j.find("child").get("link") for j in hung.findall("joint")}
    base = next(link.get("name") for link in hung.findall("link") if link.get("name") not in children)
    tree.SubElement(hung, "link", name="world")
    weld = tree.SubElement(hung, "joint", name="to_world", type="fixed")
    tree.SubElement(weld, "parent", link="world")
    tree.SubElement(weld, "child", link=base)
    variants = []
    for name, root, text, free in (
        ("talos", whole, "Talos as it stands, base free", True),
        ("talos-hung", hung, "Talos as it stands, base held by the ground", False),
        ("talos-plain", plain, "Talos without limits, friction and mimics, base free", True),
    ):
        file = folder / f"{name}.urdf"
        tree.ElementTree(root).write(file)
        variants.append((name, text, file, free))
    return variants
