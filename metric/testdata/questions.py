"""Makes the projects in this folder anew with dbt, and has MetricFlow compile each question of
cases.json. Fails where a manifest or a statement differs from the one that is kept; with --write, keeps the
statements.
'make metricflow' installs what it needs."""

import json, os, pathlib, shutil, sys, tempfile

from dbt.cli.main import dbtRunner
from dbt_metricflow.cli.cli_configuration import CLIConfiguration
from metricflow.engine.metricflow_engine import MetricFlowQueryRequest

here = pathlib.Path(__file__).resolve().parent
os.environ["DEMO_DATA"] = str(here.parents[1] / "cli" / "demo" / "data")
os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
profile = {"type": "duckdb", "schema": "main"}


def compiled(name, work):
    """The statements for the questions of one project."""
    shutil.copytree(here / name / "models", work / "models")
    project = {"name": name, "version": "1.0.0", "profile": name}
    (work / "dbt_project.yml").write_text(json.dumps(project))
    outputs = {"dev": profile | {"path": str(work / f"{name}.duckdb")}}
    (work / "profiles.yml").write_text(json.dumps({name: {"target": "dev", "outputs": outputs}}))
    os.chdir(work)
    result = dbtRunner().invoke(["--quiet", "build"])
    if not result.success:
        sys.exit(f"dbt cannot build {name}: {result.exception}")
    made, kept = (json.loads((f / "semantic_manifest.json").read_text()) for f in (work / "target", here / name))
    if made != kept:
        sys.exit(f"dbt makes another manifest of {name}")
    engine = CLIConfiguration()
    engine.setup(dbt_profiles_path=work, dbt_project_path=work, configure_file_logging=False)
    for case in json.loads((here / name / "cases.json").read_text()):
        request = MetricFlowQueryRequest.create(
            metric_names=case["metrics"], group_by_names=case["by"], where_constraints=case["where"])
        sql = engine.mf.explain(request).sql_statement.without_descriptions.sql
        yield case, [line for line in sql.splitlines() if line]


different = 0
for name in ["flights", "shop"]:
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for case, sql in compiled(name, pathlib.Path(folder)):
            if sql != case["sql"]:
                different += 1
                print(name, case["metrics"], case["by"], case["where"], *sql, sep="\n  ")
            cases.append(case | {"sql": sql})
        os.chdir(here)
    if "--write" in sys.argv:
        (here / name / "cases.json").write_text(json.dumps(cases, indent=1) + "\n")
    print(f"{name}: {len(cases)} questions compiled")
sys.exit(f"{different} statements differ" if different else 0)
