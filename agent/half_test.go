package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/agent/conversation"
)

// appendHalf writes half of a record, as a process does that is killed meanwhile.
func (k *talk) appendHalf(r conversation.Record) {
	k.t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		k.t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(k.store.Dir, k.log.ID, "log.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(line[:len(line)/2]); err != nil {
		k.t.Fatal(err)
	}
}
