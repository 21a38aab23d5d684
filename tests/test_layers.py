"""The architecture's promises, held by looking at every module."""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import networkx

ROOT = Path(__file__).resolve().parent.parent
CODE = ("data_contracts", "tasks", "flows")
MODULES = [path for folder in CODE for path in sorted((ROOT / folder).rglob("*.py"))]
ENGINES = {"prefect", "prefect_dask", "dask", "distributed"}
FORBIDDEN = {
    "data_contracts": {*ENGINES, "rarefy.tasks", "rarefy.flows", *CODE},
    "tasks": {*ENGINES, "great_expectations", "rarefy.flows", "rarefy.data_contracts.expectations", *CODE},
    "flows": set(CODE),  # always by the full name
}
NAMELESS = {"utils", "common", "base", "helpers", "types", "manager", "misc", "tools"}
FOLDERS = (  # of tasks, each importing those before it alone, besides the modules beside them
    "text", "models", "store", "corpus", "export", "knowledge", "questions", "perturb", "refresh", "evaluate",
)  # fmt: skip
HEAVY = {"torch", "spacy", "sentence_transformers", "transformers", "great_expectations", "distributed", "datasets"}


def told(path: Path) -> str:
    return str(path.relative_to(ROOT))


def layer(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The full name of everything that a module imports, wherever in it; a relative import begins with a dot."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [f"{module}.{alias.name}" for alias in node.names]
    return tuple(found)


def within(name: str, packages: set[str]) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def test_imports_point_inwards():
    wrong = {told(path): sorted(n for n in imports(path) if within(n, FORBIDDEN[layer(path)])) for path in MODULES}
    assert not {path: names for path, names in wrong.items() if names}


def test_folders_of_tasks_stand_on_one_another():
    above = {name: {f"rarefy.tasks.{other}" for other in FOLDERS[at + 1 :]} for at, name in enumerate(FOLDERS)}
    assert set(FOLDERS) == {path.name for path in (ROOT / "tasks").iterdir() if (path / "__init__.py").exists()} - {
        "sample"
    }
    wrong = {
        told(path): sorted(name for name in imports(path) if within(name, above[folder]))
        for folder in FOLDERS
        for path in (ROOT / "tasks" / folder).rglob("*.py")
    }
    assert not {path: names for path, names in wrong.items() if names}


def test_nothing_is_imported_relatively():
    modules = [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))]
    assert not [told(path) for path in modules if any(name.startswith(".") for name in imports(path))]


def test_only_the_contracts_import_great_expectations():
    importers = {told(path) for path in MODULES if any(within(name, {"great_expectations"}) for name in imports(path))}
    assert importers <= {"data_contracts/expectations.py"}


def test_every_package_is_installed():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = [
        ".".join(("rarefy", *path.parent.relative_to(ROOT).parts)) for path in MODULES if path.name == "__init__.py"
    ]
    assert sorted(listed) == sorted(["rarefy", *found])


def test_every_folder_with_modules_is_a_package():
    assert [told(path.parent) for path in MODULES if not (path.parent / "__init__.py").exists()] == []


def test_a_module_begins_with_one_line_on_what_it_knows():
    texts = {told(path): path.read_text() for path in MODULES}
    assert not [path for path, text in texts.items() if text.strip() and not ast.get_docstring(ast.parse(text))]


def test_names_say_something():
    assert not [told(path) for path in MODULES if NAMELESS & set(path.relative_to(ROOT).with_suffix("").parts)]


def test_there_are_no_abstract_base_classes():
    assert not [told(path) for path in MODULES if any(within(name, {"abc"}) for name in imports(path))]


def test_nothing_but_the_command_line_imports_it():
    importers = {path.parent.name for path in MODULES if any(within(n, {"rarefy.flows.cli"}) for n in imports(path))}
    assert importers <= {"cli"}


def test_nothing_outside_the_package_is_read():
    assert not [told(path) for path in MODULES if "../shared" in path.read_text()]


def imported(modules: str, looked_for: set[str]) -> str:
    """Which of these are imported by importing those, in a process of its own."""
    look = f"import sys, {modules}; print(*sorted({looked_for!r} & set(sys.modules)))"
    return subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout.strip()


def test_a_stage_is_light_until_it_works():
    """Every start imports all stages for their configs and versions, and a build that makes nothing takes seconds."""
    assert imported("rarefy.flows.engine.stages", HEAVY) == ""


def test_workers_import_no_engine_at_all():
    assert (
        imported(
            "rarefy.tasks.store.recipe, rarefy.tasks.corpus.read, rarefy.tasks.knowledge.extract",
            ENGINES | {"great_expectations"},
        )
        == ""
    )


def test_no_modules_import_each_other_not_even_late():
    """Imports within functions and under TYPE_CHECKING count too; parts that are found by name need nobody."""
    names = {".".join(("rarefy", *path.relative_to(ROOT).with_suffix("").parts)): path for path in MODULES}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    graph = networkx.DiGraph()
    for module, path in names.items():
        for name in imports(path):
            while name and name not in names:
                name = name.rpartition(".")[0]
            if name and name != module:
                graph.add_edge(module, name)
    assert [sorted(circle) for circle in networkx.strongly_connected_components(graph) if len(circle) > 1] == []
