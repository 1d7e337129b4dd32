package trinotest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Exec runs statements on a server, one after the other, as somebody who may write.
func Exec(server string, statements ...string) error {
	for _, statement := range statements {
		req, err := http.NewRequest(http.MethodPost, "http://"+server+"/v1/statement", strings.NewReader(statement))
		for err == nil && req != nil {
			req.Header.Set("X-Trino-User", "admin")
			req, err = next(req)
		}
		if err != nil {
			return fmt.Errorf("%.300s: %w", statement, err)
		}
	}
	return nil
}

// next sends a request, and returns the one for the page that follows; nil at the end.
func next(req *http.Request) (*http.Request, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var page struct {
		NextURI string
		Error   *struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return nil, err
	}
	switch {
	case page.Error != nil:
		return nil, fmt.Errorf("%.500s", page.Error.Message)
	case page.NextURI == "":
		return nil, nil
	}
	return http.NewRequest(http.MethodGet, page.NextURI, nil)
}
