package api

import (
	"context"
	"encoding/json"
	"time"
)

// Bounds of what people keep about their data.
const (
	MaxNoteBytes     = 4 << 10
	MaxQuestionRunes = 500
	MaxSavedBytes    = 64 << 10
	// MaxKnown is how many notes and questions one user may keep.
	MaxKnown = 2000
)

// ReasonApproved is the reason of a caveat that says by whom an answer is approved.
const ReasonApproved = "approved"

// Curators is the group whose members write notes and approve questions, as admins do.
const Curators = "curators"

// Knower keeps what people know of the tables: notes, terms, and questions with the
// statements that answer them. All of it is data: texts that people wrote.
type Knower interface {
	// Known returns what the caller may know of, each in the order of its names. What
	// it lists is data for a search, too.
	Known(ctx context.Context) (*Known, error)
	// SavedQuestion returns a question, and what has changed since it was approved.
	SavedQuestion(ctx context.Context, name string) (*SavedQuestion, error)
	// SaveQuestion keeps a question of the caller's own.
	SaveQuestion(ctx context.Context, q NewQuestion) (*SavedQuestion, error)
	// ApproveQuestion shows a question to all who may read its tables. It is for
	// admins and curators.
	ApproveQuestion(ctx context.Context, name string, a NewApproval) (*SavedQuestion, error)
	DropQuestion(ctx context.Context, name string) error
	// PutNote adds a note to a table or a column of it, or says what a term means, in
	// place of what was said of it. It is for admins and curators.
	PutNote(ctx context.Context, n Note) (*Note, error)
	DropNote(ctx context.Context, id string) error
}

// Note is what somebody wrote of a table, a column or a term.
type Note struct {
	ID string `json:"id"`
	// TableID and Column say what it is about; without a column, the table.
	TableID string `json:"table_id,omitempty"`
	Column  string `json:"column,omitempty"`
	// Term is a word of the glossary; then it is about no table.
	Term   string    `json:"term,omitempty"`
	Text   string    `json:"text"`
	Author string    `json:"author"` // empty: a user who was deleted
	At     time.Time `json:"at"`
}

// About is what a note is about, in one word or two.
func (n Note) About() string {
	switch {
	case n.Term != "":
		return n.Term
	case n.Column != "":
		return n.TableID + "." + n.Column
	}
	return n.TableID
}

// String is the note for people: what it is about, its text, author and day.
func (n Note) String() string {
	by := n.At.Format(time.DateOnly)
	if n.Author != "" {
		by = n.Author + ", " + by
	}
	return n.About() + ": " + n.Text + " (" + by + ")"
}

// Known is what people keep about their data.
type Known struct {
	Questions []SavedQuestion `json:"questions"` // never null
	// Notes are those of tables first, by what they are about; never null.
	Notes []Note `json:"notes"`
	// Curates says that the caller may write notes, and approve questions.
	Curates bool `json:"curates"`
}

// NewQuestion is a question in words with the statement that answers it.
type NewQuestion struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	// Also are other wordings of the same question.
	Also []string `json:"also,omitempty"`
	SQL  string   `json:"sql"`
	// Params are the values of $name that the question means.
	Params map[string]json.RawMessage `json:"params,omitempty"`
	// Remote says that the statement is in the dialect of its source, and runs there.
	Remote bool `json:"remote,omitempty"`
	// Replace lets it take the place of one with its name.
	Replace bool `json:"replace,omitempty"`
}

// SavedQuestion is a question that is kept.
type SavedQuestion struct {
	NewQuestion
	Owner   string    `json:"owner"` // empty: a user who was deleted
	SavedAt time.Time `json:"saved_at"`
	// Tables are those of the catalog that the statement names.
	Tables []string `json:"tables"`
	// Definition is a hash of words, statement and parameters.
	Definition string    `json:"definition"`
	Approved   *Approval `json:"approved,omitempty"`
	// Changed is what differs from what was approved: "definition", or "schema" with
	// the table behind a colon, or "unknown" with a table that cannot be looked at.
	// Lists leave out what would have to be asked of a source.
	Changed []string `json:"changed,omitempty"`
}

// Approval says who stands for a question's answer.
type Approval struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
	NewApproval
}

// NewApproval is what of a question is approved.
type NewApproval struct {
	// Definition is that of the question as it was looked at.
	Definition string `json:"definition"`
	// Result is the hash of the rows that it gave with its own parameters; empty: not run.
	Result string `json:"result,omitempty"`
}

// IsApproved reports whether the words and the statement are those that were approved.
func (q *SavedQuestion) IsApproved() bool {
	return q.Approved != nil && q.Approved.Definition == q.Definition
}
