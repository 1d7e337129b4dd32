package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/source/registry"
)

const example = "../../docs/instance.yaml.example"

// parseExample reads the example where its folders exist.
func parseExample(t *testing.T) (*config.Instance, map[string]any) {
	t.Helper()
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	inst, err := config.ParseInstance(filepath.Join(dir, "instance.yaml"), text, registry.Types())
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return inst, doc
}

func TestExampleShowsTheDefaults(t *testing.T) {
	inst, _ := parseExample(t)
	want := config.Defaults()
	want.Server.StateDir = filepath.Join(filepath.Dir(inst.File), want.Server.StateDir)
	if !reflect.DeepEqual(inst.Server, want.Server) || inst.API != want.API || inst.Metrics != want.Metrics {
		t.Errorf("the example says %+v %+v %+v,\nthe defaults are %+v %+v %+v",
			inst.Server, inst.API, inst.Metrics, want.Server, want.API, want.Metrics)
	}
}

// TestExampleShowsEveryKey counts: the reader refuses a key that it does not
// know and one that is there twice, so as many keys as fields are all of them.
func TestExampleShowsEveryKey(t *testing.T) {
	inst, doc := parseExample(t)
	for section, value := range map[string]any{"server": inst.Server, "api": inst.API, "metrics": inst.Metrics} {
		have, want := leaves(doc[section]), fields(reflect.TypeOf(value))
		if section == "server" {
			have += 8 // flight, state, state_env and blobs have no default, and stand in comments
		}
		if section == "metrics" {
			have += 3 // those of a collector
		}
		if have != want {
			t.Errorf("%s has %d keys in the example, %d in the reader", section, have, want)
		}
	}
	tables, _ := doc["tables"].([]any)
	if len(tables) == 0 {
		t.Fatal("the example has no tables")
	}
	keys := map[string]bool{}
	for _, table := range tables {
		for key := range table.(map[string]any) {
			keys[key] = true
		}
	}
	want := reflect.TypeFor[config.Table]().NumField() - 1 + reflect.TypeFor[config.Reading]().NumField()
	if len(keys) != want {
		t.Errorf("the tables have %d keys, %d in the reader", len(keys), want)
	}
}

// TestExampleShowsEverySource holds that each type of source is
// there with all its keys, in use or behind a comment sign.
func TestExampleShowsEverySource(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range registry.Types() {
		blocks := strings.Split(string(text), "type: "+string(typ.Type)+"\n")[1:]
		if len(blocks) == 0 {
			t.Errorf("no source of type %s", typ.Type)
			continue
		}
		for _, key := range typ.Keys {
			if !slices.ContainsFunc(blocks, func(block string) bool {
				block, _, _ = strings.Cut(block, "type: ")
				return strings.Contains(block, key.Name+":")
			}) {
				t.Errorf("the source of type %s lacks the key %s", typ.Type, key.Name)
			}
		}
	}
}

func leaves(v any) int {
	m, ok := v.(map[string]any)
	if !ok {
		return 1
	}
	n := 0
	for _, item := range m {
		n += leaves(item)
	}
	return n
}

func fields(t reflect.Type) int {
	n := 0
	for i := range t.NumField() {
		if f := t.Field(i).Type; f.Kind() == reflect.Struct {
			n += fields(f)
		} else {
			n++
		}
	}
	return n
}
