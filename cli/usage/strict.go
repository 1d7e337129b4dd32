package usage

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
)

// Strict adds the flag that refuses a result with caveats of some kinds: alone it
// means api.StrictKinds, and --strict=KINDS chooses.
func Strict(f *pflag.FlagSet, kinds *[]api.CaveatKind) {
	f.Var((*strictKinds)(kinds), "strict", "fail, and keep nothing, if the result has caveats of these `kinds`; alone: "+
		strictKinds(api.StrictKinds()).String()+" (see docs/caveats.md)")
	f.Lookup("strict").NoOptDefVal = "true" // the kinds would make the column of flags wide
}

// AsOf adds --as-of, for TableAt.
func AsOf(f *pflag.FlagSet, version *string) {
	f.StringVar(version, "as-of", "", "as the table was: a `version`, which is a time, a snapshot, a tag or a branch")
}

// TableAt is the id of a table as of a version; empty: as it is.
func TableAt(id, version string) (string, error) {
	if version != "" {
		if _, twice := api.AsOf(id); twice != "" {
			return "", Error("the table has a version behind its @, and --as-of names one: leave one out")
		}
		id += "@" + version
	}
	return id, api.CheckTable(id)
}

type strictKinds []api.CaveatKind

// Set implements pflag.Value.
func (k *strictKinds) Set(text string) error {
	switch text { // as for a flag without a value
	case "true":
		*k = api.StrictKinds()
		return nil
	case "false":
		*k = nil
		return nil
	}
	kinds, err := api.ParseCaveatKinds(text)
	*k = kinds
	return err
}

// String implements pflag.Value.
func (k strictKinds) String() string {
	words := make([]string, len(k))
	for i, kind := range k {
		words[i] = string(kind)
	}
	return strings.Join(words, ",")
}

// Type implements pflag.Value.
func (strictKinds) Type() string { return "kinds" }
