package checks

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
)

// A Report writes outcomes in a format of other tools. file is the file of expectations,
// at which they show the outcomes; it may be empty.
type Report func(w io.Writer, file string, outcomes []Outcome) error

// GitHub is the name of the report that is lines on standard output, which GitHub
// Actions shows as annotations.
const GitHub = "github"

// ReportFor returns the report for a file's name, or for GitHub.
func ReportFor(name string) (Report, error) {
	switch {
	case name == GitHub:
		return writeGitHub, nil
	case strings.HasSuffix(name, ".xml"):
		return writeJUnit, nil
	case strings.HasSuffix(name, ".sarif"):
		return writeSARIF, nil
	}
	return nil, &api.Error{Code: api.CodeUsage, Message: "no report is written into " + api.Clip(name, 60),
		Hint: "A name that ends with .xml is for JUnit, one that ends with .sarif for SARIF, and github prints annotations."}
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Out     string        `xml:"system-out,omitempty"` // of a warning
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	File     string      `xml:"file,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

func writeJUnit(w io.Writer, file string, outcomes []Outcome) error {
	suite := junitSuite{Name: "da", Tests: len(outcomes), File: file}
	for _, o := range outcomes {
		c := junitCase{Class: cmp.Or(o.Of, "da"), Name: o.Name}
		problem := &junitProblem{o.Message, o.rowsText()}
		switch {
		case o.Status == Errored:
			suite.Errors, c.Error = suite.Errors+1, problem
		case o.Status == Failed && o.Severity == Error:
			suite.Failures, c.Failure = suite.Failures+1, problem
		case o.Status == Failed:
			c.Out = "warning: " + o.Message + "\n" + problem.Text
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	return err
}

// rowsText has a line of JSON for each example.
func (o Outcome) rowsText() string {
	var b strings.Builder
	for _, r := range o.Examples {
		text, err := json.Marshal(r) // compact
		if err == nil {
			b.WriteString(string(text) + "\n")
		}
	}
	return b.String()
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule      string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"` // GitHub shows no result without one
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Line int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// title is the check with what it is of.
func (o Outcome) title() string {
	if o.Of == "" {
		return o.Name
	}
	return o.Of + ": " + o.Name
}

// level is the word of SARIF and of annotations for the severity.
func (o Outcome) level() string {
	if o.Severity == Warn && o.Status == Failed {
		return "warning"
	}
	return "error"
}

func writeSARIF(w io.Writer, file string, outcomes []Outcome) error {
	results := []sarifResult{}
	var at []sarifLocation
	if file != "" {
		at = make([]sarifLocation, 1)
		at[0].Physical.Artifact.URI, at[0].Physical.Region.Line = (&url.URL{Path: filepath.ToSlash(file)}).String(), 1
	}
	for _, o := range outcomes {
		if o.Status != Passed {
			results = append(results, sarifResult{o.title(), o.level(), sarifText{o.title() + ": " + o.Message}, at})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []any{map[string]any{"tool": map[string]any{"driver": map[string]any{"name": "da"}}, "results": results}},
	})
}

var (
	annotation = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func writeGitHub(w io.Writer, file string, outcomes []Outcome) error {
	if file != "" {
		file = "file=" + property.Replace(file) + ","
	}
	for _, o := range outcomes {
		if o.Status == Passed {
			continue
		}
		text := strings.TrimSpace(o.Message + "\n" + o.rowsText())
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", o.level(), file, property.Replace(o.title()), annotation.Replace(text)); err != nil {
			return err
		}
	}
	return nil
}
