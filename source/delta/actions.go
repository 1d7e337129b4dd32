package delta

import (
	"encoding/json"
	"net/url"
	"strconv"
)

// action is a line of the log: one of its fields is set.
type action struct {
	Add, Remove *add
	Protocol    *protocol
	MetaData    *metaData
	Sidecar     *struct{ Path string }
}

// add is a file of the table, or one that is removed from it.
type add struct {
	Path            string             `json:"path"` // as a URL has it
	PartitionValues map[string]*string `json:"partitionValues"`
	Size            int64              `json:"size"`
	Stats           string             `json:"stats"`
	Vector          *vector            `json:"deletionVector"`
}

type protocol struct {
	MinReaderVersion int      `json:"minReaderVersion"`
	ReaderFeatures   []string `json:"readerFeatures"`
}

type metaData struct {
	ID               string `json:"id"`
	Description      string `json:"description"`
	Format           struct{ Provider string }
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
}

// key tells a file from others, however a writer escapes its path. With another vector
// it is another file: in one commit the one is removed and the other is added.
func (a *add) key() string {
	file, err := url.PathUnescape(a.Path)
	if err != nil {
		file = a.Path // which is refused when it is read
	}
	v := a.Vector
	if v == nil {
		return file
	}
	offset := ""
	if v.Offset != nil {
		offset = "@" + strconv.FormatInt(*v.Offset, 10)
	}
	return file + "\x00" + v.StorageType + v.PathOrInlineDv + offset
}

// mark tells it from the same file with other values of partitions or another vector.
func (a *add) mark() string {
	values, _ := json.Marshal(a.PartitionValues) // texts
	return a.key() + string(values)
}

// state is a table as far as its log was replayed.
type state struct {
	live     map[string]*add
	protocol *protocol
	metaData *metaData
	sidecars []string
	hash     string // of the last commit, or of all that stands for it
}

func (s *state) apply(a action) {
	if a.Remove != nil {
		delete(s.live, a.Remove.key())
	}
	if a.Add != nil {
		s.live[a.Add.key()] = a.Add
	}
	if a.Protocol != nil {
		s.protocol = a.Protocol
	}
	if a.MetaData != nil {
		s.metaData = a.MetaData
	}
	if a.Sidecar != nil {
		s.sidecars = append(s.sidecars, a.Sidecar.Path)
	}
}
