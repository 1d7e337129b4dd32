package fetch

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement/params"
)

// FillWhere fills in the parameters of a predicate on a table, and rejects values
// that the predicate does not use. It asks the catalog only if the predicate may
// have parameters.
func FillWhere(ctx context.Context, catalog func() (api.Catalog, error), values *params.Filler, tableID,
	text string) (*params.Filled, error) {
	flavor := ""
	if params.Mentions(text) {
		c, err := catalog()
		if err != nil {
			return nil, err
		}
		schema, err := c.Schema(ctx, tableID)
		if err != nil {
			return nil, err
		}
		flavor = schema.SQLFlavor
	}
	filled, err := values.Fill(text, flavor)
	if err != nil {
		return nil, err
	}
	return filled, values.Done()
}

// FlavorOf returns the dialect of a statement for the source: that of the tables
// it names, which must all agree. Every table that a statement reads appears in
// it as a word, so no other dialect is possible.
func FlavorOf(ctx context.Context, catalog api.Catalog, text string) (string, error) {
	list, err := catalog.Tables(ctx)
	if err != nil {
		return "", err
	}
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[word] = true
	}
	var flavors []string
	for _, t := range list.Tables {
		if words[strings.ToLower(t.ID)] && !slices.Contains(flavors, t.SQLFlavor) {
			flavors = append(flavors, t.SQLFlavor)
		}
	}
	if len(flavors) != 1 {
		return "", &api.Error{Code: api.CodeUsage, Kind: api.KindParameter,
			Message: "the dialect of the statement is not clear, and so not how the values of its parameters are written",
			Hint:    "It must name tables of one dialect. Write the values in their places.",
			Next:    []api.Step{api.Do(api.ActionCatalog, "see the tables")}}
	}
	return flavors[0], nil
}
