"""Models built in code: every kind of the engine's tables, with the reader's own messages."""

import numpy as np
import pytest
from conftest import PENDULUM

import holonom
from holonom import _builder


def pendulum():
    m = holonom.ModelBuilder("A pendulum")
    m.body("rod", shape={"kind": "box", "size": np.array([1, 0.05, 0.05])}, density=7800, at=(0.5, 0, 0))
    m.joint("pin", kind="revolute", b="rod", at=[0, 0, 0], axis=[0, 1, 0])
    return m


def test_the_same_as_a_file():
    built, read = pendulum().build(), holonom.loads(PENDULUM)
    assert built.initial_state.hash() == read.initial_state.hash()
    a, b = holonom.Simulation(built), holonom.Simulation(read)
    a.run(1.0)
    b.run(1.0)
    assert a.hash() == b.hash()


def test_messages_name_the_line_of_the_program():
    m = pendulum()
    m.joint("second", kind="revolut", b="rod")
    with pytest.raises(holonom.SceneError) as caught:
        m.build()
    assert "did you mean `revolute`?" in str(caught.value)
    assert f"built at: {__file__}:" in str(caught.value)
    assert caught.value.code and "revolut" in m.to_toml().splitlines()[caught.value.line - 1]


def test_every_section_and_kind_is_there():
    assert {"revolute", "spherical", "distance", "gear"} <= set(holonom.kinds("joint"))
    assert {"spring", "drag"} <= set(holonom.kinds("force"))
    assert "axis" in _builder.fields("joint", "revolute")
    m = pendulum()
    for section, (_, fill, _) in _builder._SECTIONS.items():
        assert fill == "value" or callable(getattr(m, section)), section
    with pytest.raises(AttributeError, match="sections of a scene"):
        m.bodies("x")


def test_sections_that_are_tables_and_generators():
    m = holonom.ModelBuilder(gravity=[0, 0, -1])
    m.params(n=5)
    m.chain("c", count="${n}", piece={"shape": {"kind": "box", "size": [0.1, 0.02, 0.02]}, "mass": 1})
    try:
        model = m.build()
    except holonom.SceneError as e:  # what a chain needs is said by the reader
        assert "chain" in str(e)
    else:
        assert model.n_bodies == 5


def test_names_of_any_kind_and_values_of_any_kind():
    m = holonom.ModelBuilder('quotes " and \\ and \n and \x7f')
    m.body("a böse c", mass=1.5, kind="particle", at=[np.float64(1), 2, np.int32(3)])
    model = m.build()
    assert model.bodies == ["a böse c"]
    assert holonom.Simulation(model).pose("a böse c")[:3].tolist() == [1, 2, 3]
    for wrong in [object(), {1, 2}, 10**30, b"bytes"]:
        with pytest.raises(TypeError):
            m.body("x", mass=wrong)
    with pytest.raises(holonom.UsageError, match="already"):
        m.body("a böse c")
    with pytest.raises(holonom.SceneError, match="not allowed"):
        holonom.ModelBuilder().body('a "b"', kind="particle", mass=1).build()
    with pytest.raises(holonom.Error):
        holonom.ModelBuilder().body("a", mass=float("nan")).build()
