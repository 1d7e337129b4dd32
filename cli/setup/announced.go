package setup

import (
	"bufio"
	"io"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

var (
	announcedURL   = lazyregexp.New(`https?://[^\s"]+`)
	announcedToken = lazyregexp.New(`da_[A-Za-z0-9_-]{40,}`)
)

// Announced reads the stderr of a starting 'da serve' until the server listens.
func Announced(stderr io.Reader) (url, token string, err error) {
	lines := bufio.NewScanner(stderr)
	var seen []string
	for lines.Scan() {
		seen = append(seen, lines.Text())
		if t := announcedToken().FindString(lines.Text()); t != "" {
			token = t
		}
		if u := announcedURL().FindString(lines.Text()); u != "" {
			return u, token, nil
		}
	}
	return "", "", &api.Error{Code: api.CodeUnexpected, Message: "the server did not start: " + strings.Join(seen, "; ")}
}
