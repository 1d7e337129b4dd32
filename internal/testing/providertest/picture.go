package providertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agnes-data/da/agent/provider"
)

// seen is a content that is a text, or a list of texts and PNG pictures.
type seen struct {
	text    string
	picture *provider.Picture // the last
}

// UnmarshalJSON reads what each of the protocols has.
func (s *seen) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] != '[' {
		return json.Unmarshal(raw, &s.text)
	}
	var parts []struct {
		Type, Text string
		Source     struct{ Data string }
		URL        json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		data := p.Source.Data
		switch p.Type {
		case "text", "input_text":
			s.text += p.Text
			continue
		case "input_image", "image_url":
			var url struct{ URL string }
			if json.Unmarshal(p.URL, &url.URL) != nil && json.Unmarshal(p.URL, &url) != nil {
				return fmt.Errorf("an address of a picture: %s", p.URL)
			}
			data = strings.TrimPrefix(url.URL, "data:image/png;base64,")
		case "image":
		default:
			return fmt.Errorf("a part of the type %q", p.Type)
		}
		png, err := base64.StdEncoding.DecodeString(data)
		if err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
			return fmt.Errorf("no PNG: %.40q", data)
		}
		s.picture = &provider.Picture{PNG: png}
	}
	return nil
}
