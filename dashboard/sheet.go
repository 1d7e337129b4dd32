// Package dashboard runs the statements of a saved dashboard and writes a report of
// tables and charts. The caller supplies the function that runs a statement, and with
// it the rights.
package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/statement/params"
)

// mostCells bounds the cells of a sheet.
const mostCells = 60

// Source is the place of statements that are run at their source.
const Source = "source"

// Sheet is the file of a dashboard.
type Sheet struct {
	Name  string `json:"name"`
	Where string `json:"where"` // Source, here or fetch
	Cells []cell `json:"cells"`
	// Values are the texts of the fields; Parameters are the same as JSON values, in
	// files that the page has written.
	Values     map[string]string `json:"values"`
	Parameters json.RawMessage   `json:"parameters"`

	values params.Values
}

type cell struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	SQL   string  `json:"sql"`
	Text  *string `json:"text"`
	Wide  bool    `json:"wide"`
	Look  struct {
		View  string `json:"view"`
		Chart *chart `json:"chart"`
	} `json:"look"`
}

func (c cell) title() string { return cmp.Or(c.Title, c.Look.Chart.title(), c.Name) }

// Read reads the file of a dashboard.
func Read(text []byte) (*Sheet, error) {
	s := &Sheet{values: params.Values{}}
	if err := json.Unmarshal(text, s); err != nil || len(s.Cells) == 0 || len(s.Cells) > mostCells {
		e := &api.Error{Code: api.CodeValidation, Kind: api.KindNoStatement, Hint: "The page writes one with 'Save for others'.",
			Message: fmt.Sprintf("it is not the file of a dashboard, which has 1 to %d cells", mostCells)}
		if err != nil {
			e.Message += ": " + api.Clip(err.Error(), 200)
		}
		return nil, e
	}
	if s.Where != "here" && s.Where != "fetch" {
		s.Where = Source
	}
	for name, text := range s.Values {
		s.values[name] = fieldValue(text)
	}
	if s.Parameters == nil {
		return s, nil
	}
	typed := params.Values{}
	if err := typed.Read(s.Parameters); err != nil {
		return nil, err
	}
	for name, value := range typed {
		s.values[name] = value
	}
	return s, nil
}

var number = lazyregexp.New(`^-?\d+(\.\d+)?$`)

// fieldValue reads the text of a field whose column's type is unknown.
func fieldValue(text string) any {
	if t := strings.TrimSpace(text); number().MatchString(t) {
		return json.Number(t)
	}
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return text[1 : len(text)-1]
	}
	return text
}

var (
	reference = lazyregexp.New(`^@[\pL_][\pL\pN_]*`)
	with      = lazyregexp.New(`(?i)^\s*WITH\s+(RECURSIVE\s+)?`)
)

// statement returns the SQL of a cell. Earlier cells that it names as @name become WITH steps.
func (s *Sheet) statement(at int) string {
	var steps []string
	seen := map[int]bool{}
	var body func(int) string
	body = func(at int) string {
		sql := strings.TrimRight(s.Cells[at].SQL, "; \n\r\t")
		var out strings.Builder
		for sql != "" {
			n := params.Opaque(sql)
			if n < 0 {
				n = len(sql)
			}
			name := reference().FindString(sql)
			of := slices.IndexFunc(s.Cells[:at], func(c cell) bool { return name != "" && c.Name == name[1:] && c.Text == nil })
			switch {
			case of >= 0:
				if !seen[of] {
					seen[of] = true
					text := body(of)
					steps = append(steps, name[1:]+" AS ("+text+"\n)")
				}
				out.WriteString(name[1:])
				n = len(name)
			default:
				n = max(n, 1)
				out.WriteString(sql[:n])
			}
			sql = sql[n:]
		}
		return out.String()
	}
	own := body(at)
	if len(steps) == 0 {
		return own
	}
	if start := with().FindString(own); start != "" {
		return strings.TrimSpace(start) + " " + strings.Join(steps, ", ") + ", " + own[len(start):]
	}
	return "WITH " + strings.Join(steps, ", ") + "\n" + own
}
