package setup

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source/lake"
)

// instanceText returns an instance file for the tables found below root, a
// folder. dir is the folder of the instance file; paths in it are relative to
// that.
func instanceText(dir, root string, tables []lake.Found) (string, error) {
	if rel, err := filepath.Rel(dir, root); err == nil && !strings.HasPrefix(rel, "..") {
		if root = "."; rel != "." {
			root = "./" + filepath.ToSlash(rel)
		}
	}
	type table struct {
		ID     string `yaml:"id"`
		Source string `yaml:"source"`
		Path   string `yaml:"path,omitempty"`
		// Relation is the name in a database.
		Relation string `yaml:"relation,omitempty"`
	}
	var doc struct {
		Sources map[string]map[string]string `yaml:"sources"`
		Tables  []table                      `yaml:"tables"`
	}
	doc.Sources = map[string]map[string]string{}
	databases := map[string]string{} // the sources by their files
	taken := map[string]bool{"files": true, string(api.SourceDelta): true, string(api.SourceIceberg): true}
	for _, t := range tables {
		if t.File != "" {
			source := databases[t.File]
			if source == "" {
				source = lake.FreeID(strings.TrimSuffix(path.Base(t.File), path.Ext(t.File)), taken)
				databases[t.File] = source
				doc.Sources[source] = map[string]string{"type": string(t.Type), "file": path.Join(root, t.File)}
			}
			doc.Tables = append(doc.Tables, table{ID: t.ID, Source: source, Relation: t.Path})
			continue
		}
		source, typ := "files", string(api.SourceLake)
		if t.Type != "" {
			source, typ = string(t.Type), string(t.Type)
		}
		doc.Sources[source] = map[string]string{"type": typ, "root": root}
		doc.Tables = append(doc.Tables, table{ID: t.ID, Source: source, Path: t.Path})
	}
	body, err := yaml.Marshal(doc)
	if err != nil {
		return "", err
	}
	return "# What da offers: sources, tables and limits. Written by 'da init'; edit it freely.\n" + string(body), nil
}
