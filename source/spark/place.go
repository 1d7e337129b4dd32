package spark

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// Borrows implements source.Borrower.
func (s *Spark) Borrows(string, *source.Schema) error { return nil }

// reading is the part of a plan that reads a relation. The parts of its name are
// separated by dots.
func reading(rel source.Relation) ([]byte, error) {
	name, at := rel.Name, protowire.Number(2)
	var options [][]byte
	if p := rel.Place; p != nil {
		if name = p.Name; name == "" {
			at = 3
		}
		options = append(options, within(at, text(1, "versionAsOf"), text(2, strconv.FormatInt(p.Version, 10))))
	}
	if at == 3 {
		return within(2, within(2, append(options, text(1, rel.Place.Format), text(4, rel.Place.URL))...)), nil
	}
	name, err := quoted(name)
	return within(2, within(1, append(options, text(1, name))...)), err
}

// quoted is a name with each of its parts in quotes.
func quoted(name string) (string, error) {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if p == "" || strings.ContainsRune(p, 0) {
			return "", missing(name)
		}
		parts[i] = quote(p)
	}
	return strings.Join(parts, "."), nil
}

// heeded checks that the version of a place is read: a Spark before 4 was not told of it
// where the table has a name.
func (s *Spark) heeded(ctx context.Context, rel source.Relation) error {
	if rel.Place == nil || rel.Place.Name == "" {
		return nil
	}
	place := *rel.Place
	place.Version = math.MaxInt64
	none, err := reading(source.Relation{Place: &place})
	if err != nil {
		return err
	}
	_, err = s.schemaOf(ctx, none)
	var e *api.Error
	switch {
	case err == nil:
	case errors.As(failure(ctx, err, true), &e) && e.Kind != api.KindUnreachable && e.Kind != api.KindConnectionLost && ctx.Err() == nil:
		return nil // there is no such version
	default:
		return failure(ctx, err, true)
	}
	return sourceError(api.KindUnlikeFiles, "this Spark reads a table that has a name only as it is now, and not in the version that was asked for",
		"The operator can remove engine_catalog of the source, so that its tables are found by their folders; or use Spark 4.", nil)
}
