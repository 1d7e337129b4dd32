package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// task is one thing to do, with the commands that do it.
type task struct {
	name     string
	commands []command
}

// command is one process. Its before runs first and is not measured.
type command struct {
	tool   string
	args   []string
	before func() error
	slow   bool
	needs  string // a file or folder that must exist
}

func (c command) missing() bool {
	if c.needs != "" {
		if _, err := os.Stat(c.needs); err != nil {
			return true
		}
	}
	_, err := exec.LookPath(c.args[0])
	return err != nil
}

// tasks lists everything, in the order in which it runs: da's later tasks find
// what the earlier ones have learnt.
func (w *world) tasks() []task {
	csv, part, xlsx := w.file("rows.csv"), w.file("part.csv"), w.file("out.xlsx")
	forget := func() error { return os.RemoveAll(w.file("home")) }
	drop := func() error { return os.RemoveAll(xlsx) }
	da := func(args ...string) command {
		return command{tool: "da", args: append([]string{w.da, "table"}, args...)}
	}
	first := func(c command) command {
		c.tool, c.before = "da, first contact", forget
		return c
	}
	group := "SELECT status, count(*) AS n, sum(amount) AS total FROM data GROUP BY status ORDER BY status"
	db := w.file("rows.sqlite")
	return []task{
		{"map: types over all rows", []command{
			first(da("map", csv, "-o", "csv")), da("map", csv, "-o", "csv"),
			w.node("duckdb", "DuckDB (npm): sniff, count", "map", csv), w.node("polars", "Polars (npm): all rows", "map", csv),
			{tool: "csvkit csvstat --type", args: []string{"csvstat", "--type", csv}, slow: true},
		}},
		{"load once", []command{
			first(da("rows", csv, "--count", "1", "-o", "csv")),
			{tool: "sqlite3 .import", args: []string{"sqlite3", db, ".mode csv", ".import " + csv + " data"}},
			w.node("duckdb", "DuckDB (npm): to a file", "load", csv),
		}},
		{"stats of all columns", []command{
			da("stats", csv, "-o", "csv"), {tool: "da, again", args: []string{w.da, "table", "stats", csv, "-o", "csv"}},
			w.node("duckdb", "DuckDB (npm): SUMMARIZE table", "summarize", csv), w.node("duckdb", "DuckDB (npm): SUMMARIZE csv", "stats", csv),
			w.node("polars", "Polars (npm): describe", "stats", csv),
			{tool: "Miller summary", args: []string{"mlr", "--icsv", "--ojson", "summary", csv}, slow: true},
			{tool: "csvkit csvstat, 200k rows", args: []string{"csvstat", w.file("fifth.csv")}, slow: true},
		}},
		{"group by", []command{
			da("query", csv, group, "-o", "csv"),
			w.node("duckdb", "DuckDB (npm), table", "group-table", csv), w.node("duckdb", "DuckDB (npm), csv", "group", csv),
			w.node("polars", "Polars (npm)", "group", csv),
			{tool: "sqlite3, table", args: []string{"sqlite3", db, group}},
			{tool: "Miller", args: []string{"mlr", "--icsv", "--ocsv", "stats1", "-a", "count,sum", "-f", "amount", "-g", "status", csv}},
		}},
		{"last 20 rows", []command{
			da("rows", csv, "--start", w.lastStart(), "--count", "20", "-o", "csv"),
			w.node("duckdb", "DuckDB (npm), csv", "tail", csv), w.node("polars", "Polars (npm)", "tail", csv),
			{tool: "sqlite3, table", args: []string{"sqlite3", db, "SELECT * FROM data LIMIT 20 OFFSET (SELECT count(*) - 20 FROM data)"}},
			{tool: "Miller", args: []string{"mlr", "--icsv", "--ocsv", "tail", "-n", "20", csv}},
		}},
		{"half the rows to XLSX", []command{
			{tool: "da, first contact", args: []string{w.da, "table", "export", part, "--out", xlsx, "-o", "csv"}, before: func() error {
				if err := forget(); err != nil {
					return err
				}
				return drop()
			}},
			w.office("LibreOffice", "xlsx", part),
		}},
		{"half the rows from XLSX", []command{
			first(da("map", xlsx, "-o", "csv")),
			w.office("LibreOffice, to CSV", "csv", xlsx),
			{tool: "csvkit in2csv", args: []string{"in2csv", xlsx}, slow: true},
		}},
	}
}

// office converts a file with LibreOffice, with a profile of its own, so that it
// neither asks nor meets another instance.
func (w *world) office(tool, to, file string) command {
	return command{tool: tool, args: []string{
		"soffice", "-env:UserInstallation=file://" + w.file("office"), "--headless", "--convert-to", to, "--outdir", w.file("office-out"), file,
	}}
}

// node runs the peers' script on a package from npm.
func (w *world) node(engine, tool, what, file string) command {
	module := map[string]string{"duckdb": "@duckdb/node-api", "polars": "nodejs-polars"}[engine]
	return command{
		tool: tool, needs: filepath.Join(w.npm, "node_modules", filepath.FromSlash(module)),
		args: []string{"node", w.file("peers.mjs"), engine, what, file, w.file("rows.duckdb")},
	}
}
