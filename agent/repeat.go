package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// varying matches what can differ between two equal answers: the marks around
// data, and elapsed times.
var varying = lazyregexp.New(`data-[0-9a-f]{12}|"[a-z_]*elapsed_ms":[0-9.]+`)

// digest is the hash of an answer.
func digest(content string) string {
	sum := sha256.Sum256(varying().ReplaceAll([]byte(content), []byte("-")))
	return hex.EncodeToString(sum[:])
}

// callKey returns a key that is equal for calls with the same question and the
// same answer.
func callKey(tool, arguments, answer string) string {
	var v any
	if json.Unmarshal([]byte(arguments), &v) == nil {
		normal, _ := json.Marshal(v) // sorts the keys and removes spaces
		arguments = string(normal)
	}
	return tool + "\x00" + arguments + "\x00" + answer
}

// Bounds of repetitions: the first makes a notice, twice as many end the turn.
const (
	sameCalls   = 3 // the same call with the same answer
	cycleRounds = 3 // rounds of a cycle of two to four calls
	longCycle   = 4
)

// repeats detects models that go round in circles within one turn.
type repeats struct {
	stale int // limit of calls that bring nothing new
	keys  []string
	seen  map[string]bool
	old   int // calls in a row that brought nothing new
}

// add adds a call. what describes how the model repeats itself, or is ""; stop
// reports that the model has continued after a notice.
func (r *repeats) add(key string) (what string, stop bool) {
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.old++
	if !r.seen[key] {
		r.old = 0
	}
	r.seen[key] = true
	r.keys = append(r.keys, key)
	for n := 1; n <= longCycle; n++ {
		rounds := r.rounds(n)
		if n == 1 && rounds >= sameCalls {
			return fmt.Sprintf("the same call gave the same answer %d times in a row", rounds), rounds >= 2*sameCalls
		}
		if n > 1 && rounds >= cycleRounds {
			return fmt.Sprintf("the same %d calls gave the same answers %d times in a row", n, rounds), rounds >= 2*cycleRounds
		}
	}
	if r.old >= r.stale {
		return fmt.Sprintf("the last %d calls brought nothing new", r.old), r.old >= 2*r.stale
	}
	return "", false
}

// rounds counts how often the last n calls were made in a row.
func (r *repeats) rounds(n int) int {
	if len(r.keys) < n {
		return 0
	}
	last := r.keys[len(r.keys)-n:]
	count := 0
	for end := len(r.keys); end >= n && slices.Equal(r.keys[end-n:end], last); end -= n {
		count++
	}
	return count
}

// compact removes the spaces from JSON; other text is returned unchanged.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// checkRepetition checks the calls so far for repetition. A model that repeats itself gets a
// notice, and the turn is ended if it continues.
func (a *Agent) checkRepetition() (Reason, string, error) {
	s := a.state
	switch {
	case s.stuck:
		return ReasonLoop, s.circle, nil
	case s.circle == "" || s.told:
		return "", "", nil
	}
	notice := "Note: " + s.circle + ". Do something else, or answer with what you have; if it goes on like this, the turn is ended."
	a.say(Event{Type: EventNotice, Text: notice})
	return "", "", a.append(conversation.Record{Type: conversation.Notice, Text: notice})
}
