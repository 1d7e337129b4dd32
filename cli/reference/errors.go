package reference

import (
	"strings"

	"github.com/agnes-data/da/api"
)

func errorsTopic() string {
	var b strings.Builder
	b.WriteString("An error has a code and mostly a kind. The code decides the exit code: see\n'da help exit-codes'. The message and the hint of an error say more.\n\n")
	for _, k := range api.KindsOfErrors() {
		b.WriteString("  " + k.Kind + "\n")
		if len(k.Codes) > 0 {
			b.WriteString(hanging("      ", Joined(k.Codes, ", ")+":"))
		}
		b.WriteString(hanging("      ", strings.TrimSpace(k.Means+" "+k.Next)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Joined are the names of codes in a row.
func Joined(codes []api.Code, separator string) string {
	var names []string
	for _, c := range codes {
		names = append(names, string(c))
	}
	return strings.Join(names, separator)
}
