package api

import (
	"encoding/json"
	"time"
)

// KeepResult asks for all rows of a statement or a scan, to be looked at a window
// at a time.
type KeepResult struct {
	// Exactly one of SQL and Scan is given.
	SQL  string       `json:"sql,omitempty"`
	Scan *ScanRequest `json:"scan,omitempty"`
	// Here runs the statement on the page's own machine; Fetch is as in DeskQuery.
	Here  bool `json:"here,omitempty"`
	Fetch bool `json:"fetch,omitempty"`
}

// KeptResult is a whole result that a server keeps while its caller looks at it.
type KeptResult struct {
	ID      string       `json:"id"`
	Columns []PageColumn `json:"columns"`
	Rows    int64        `json:"rows"`
	Bytes   int64        `json:"bytes"` // on the server's disk
	// Until is when it goes, unless it is looked at before.
	Until   time.Time `json:"kept_until"`
	Caveats []Caveat  `json:"caveats"` // never null
	Elapsed int64     `json:"elapsed_ms"`
}

// ResultPart selects and orders rows of a kept result.
type ResultPart struct {
	// Words are texts that a row must hold in any of its columns, in upper or lower
	// case, separated by spaces.
	Words string            `json:"words,omitempty"`
	Where []ResultCondition `json:"where,omitempty"`
	// Order is by one column; NULL is last in both directions. Nil: as they came.
	Order *ResultOrder `json:"order,omitempty"`
}

// ResultCondition is a condition on a column. Exactly one of Null, Is, In, Has, and a
// range is given. Values are texts as JSON writes them, without quotes.
type ResultCondition struct {
	At   int     `json:"at"` // place of the column, from 0
	Null bool    `json:"null,omitempty"`
	Is   *string `json:"is,omitempty"`
	// In lists values; the column must have one of them.
	In  []string `json:"in,omitempty"`
	Has string   `json:"has,omitempty"` // a part of the text, in upper or lower case
	// A range: From is in it; To is so if Last is set.
	From *string `json:"from,omitempty"`
	To   *string `json:"to,omitempty"`
	Last bool    `json:"last,omitempty"`
}

// ResultOrder is the column to order by, from 0.
type ResultOrder struct {
	At   int  `json:"at"`
	Down bool `json:"down,omitempty"`
}

// ResultWindow asks for up to Limit rows of a part, at most MaxPageRows, after the
// first From.
type ResultWindow struct {
	Part  ResultPart `json:"part"`
	From  int64      `json:"from"`
	Limit int        `json:"limit"`
}

// ResultRows are a window of a part with Found rows.
type ResultRows struct {
	PageRows
	Found int64 `json:"found"`
}

// SummarizeResult asks what columns of a part hold.
type SummarizeResult struct {
	Part    ResultPart `json:"part"`
	Columns []int      `json:"columns"` // places, at most MaxSummaries
}

// MaxSummaries is how many columns one request summarizes.
const MaxSummaries = 50

// ColumnSummary says what a column of a part holds.
type ColumnSummary struct {
	Rows     int64 `json:"rows"`
	Nulls    int64 `json:"nulls"`
	Distinct int64 `json:"distinct"`
	// About says that Distinct is an estimate.
	About bool `json:"about,omitempty"`
	// Values are as in PageRows; long texts end after MaxSummaryText characters.
	// Low and High are absent for nested columns, Median and Mean for all but numbers.
	Low    json.RawMessage `json:"low,omitempty"`
	High   json.RawMessage `json:"high,omitempty"`
	Median json.RawMessage `json:"median,omitempty"`
	Mean   json.RawMessage `json:"mean,omitempty"`
	// Bins are ranges of numbers or times; Top are the commonest values of what has none.
	Bins []SummaryBin `json:"bins,omitempty"`
	Top  []SummaryTop `json:"top,omitempty"`
}

// MaxSummaryText limits texts in a summary.
const MaxSummaryText = 1000

// SummaryBin is a range with its number of rows; Last: the end is in it.
type SummaryBin struct {
	From json.RawMessage `json:"from"` // a number, or a time as a text
	To   json.RawMessage `json:"to"`
	N    int64           `json:"n"`
	Last bool            `json:"last"`
}

// SummaryTop is a value with its number of rows.
type SummaryTop struct {
	Value json.RawMessage `json:"value"`
	N     int64           `json:"n"`
}

// GroupResult asks for one figure of the rows of a part that share a place, as a chart
// draws them.
type GroupResult struct {
	Part ResultPart `json:"part"`
	// X is the column across, By the one that divides further, Y the one that the figure
	// is of; By and Y are -1 if there is none.
	X  int `json:"x"`
	By int `json:"by"`
	Y  int `json:"y"`
	// How is count, mean, median, sum or distinct.
	How string `json:"how"`
	// Bins puts numbers across into ranges.
	Bins bool `json:"bins,omitempty"`
}

// MaxGroups is how many groups are returned at most; each is a row of PageRows.
const MaxGroups = MaxPageRows

// ResultGroups are the groups of a part: the value across, or the start of its range or
// period, the figure, the value that divides further, the end of a range, how many rows
// it is of, and how many of them the figure leaves out as they have no value; the third
// and fourth can be null. With more than MaxGroups groups, those with the most rows are there.
type ResultGroups struct {
	PageRows
	Found int64 `json:"found"` // groups
	// Each is the period that times across were put into, such as day; empty: they are exact.
	Each string `json:"each,omitempty"`
}
