package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/internal/lazyregexp"
)

// varying is what differs between answers that say the same: the marks around
// data, and how long something took.
var varying = lazyregexp.New(`data-[0-9a-f]{12}|"[a-z_]*elapsed_ms":[0-9.]+`)

// digest is the hash of an answer.
func digest(content string) string {
	sum := sha256.Sum256(varying().ReplaceAll([]byte(content), []byte("-")))
	return hex.EncodeToString(sum[:])
}

// callKey is the same for calls that ask the same and were answered the same.
func callKey(tool, arguments, answer string) string {
	var v any
	if json.Unmarshal([]byte(arguments), &v) == nil {
		normal, _ := json.Marshal(v) // keys in order, no spaces
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

// repeats finds models that go round in circles. It looks at one turn.
type repeats struct {
	stale int // calls that bring nothing new, of which so many are too many
	keys  []string
	seen  map[string]bool
	old   int // calls in a row that brought nothing new
}

// add takes a call. what says how the model repeats itself, "" if it does not;
// stop that it has gone on after it was told.
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

// compact writes JSON without spaces; anything else stays as it is.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}
