package spark

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/source"
)

// versionOption is what the reader of a format calls the version that it reads.
var versionOption = map[string]string{"delta": "versionAsOf", "iceberg": "snapshot-id"}

// Borrows implements source.Borrower.
func (s *Spark) Borrows(format string) bool { return versionOption[format] != "" }

// reading is the part of a plan that reads a relation. The parts of its name are
// separated by dots.
func reading(rel source.Relation) ([]byte, error) {
	name, options := rel.Name, [][]byte(nil)
	if p := rel.Place; p != nil {
		const ofName, ofPath protowire.Number = 2, 3
		at := ofName
		if p.Name == "" {
			at = ofPath
		}
		options = append(options, within(at, text(1, versionOption[p.Format]), text(2, strconv.FormatInt(p.Version, 10))))
		if p.Name == "" {
			return within(2, within(2, append(options, text(1, p.Format), text(4, p.URL))...)), nil
		}
		name = p.Name
	}
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if p == "" || strings.ContainsRune(p, 0) {
			return nil, missing(name)
		}
		parts[i] = quote(p)
	}
	return within(2, within(1, append(options, text(1, strings.Join(parts, ".")))...)), nil
}
