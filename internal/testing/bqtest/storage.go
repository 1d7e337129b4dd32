package bqtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// rowsPerStream is how many rows make another stream worth while.
const rowsPerStream = 50_000

// storageAPI is the Storage Read API.
type storageAPI struct {
	storagepb.UnimplementedBigQueryReadServer
	s *Server
}

// readSession is a session: a table cut into ranges of rows, one a stream.
type readSession struct {
	table  *stored
	ranges [][2]int64
}

func timeUnit(a *array.Timestamp) arrow.TimeUnit { return a.DataType().(*arrow.TimestampType).Unit }

// CreateReadSession implements storagepb.BigQueryReadServer.
func (a *storageAPI) CreateReadSession(ctx context.Context, r *storagepb.CreateReadSessionRequest) (*storagepb.ReadSession, error) {
	a.s.count("CreateReadSession")
	in := r.GetReadSession()
	if in.GetDataFormat() != storagepb.DataFormat_ARROW || in.GetReadOptions().GetRowRestriction() != "" {
		return nil, status.Error(codes.InvalidArgument, "only whole tables are read here, as Arrow")
	}
	parts := strings.Split(in.GetTable(), "/")
	if len(parts) != 6 {
		return nil, status.Error(codes.InvalidArgument, "the name of the table is malformed")
	}
	a.s.mu.Lock()
	t := a.s.results[parts[1]+"."+parts[3]+"."+parts[5]]
	a.s.mu.Unlock()
	if t == nil {
		var err error
		if t, err = a.s.find("", "")([]string{parts[1], parts[3], parts[5]}); err != nil {
			var r *refusal
			if errors.As(err, &r) {
				return nil, r.grpc()
			}
			return nil, status.Error(codes.Internal, err.Error())
		}
	}
	schema, _, err := a.s.messages(ctx, t, 0, 0, nil)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	session := &readSession{table: t}
	n := min(max(int64(r.GetMaxStreamCount()), 1), (t.rows+rowsPerStream-1)/rowsPerStream)
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.made++
	out := &storagepb.ReadSession{Name: fmt.Sprintf("%s/locations/eu/sessions/s%d", r.GetParent(), a.s.made), Table: in.GetTable(), DataFormat: storagepb.DataFormat_ARROW,
		Schema: &storagepb.ReadSession_ArrowSchema{ArrowSchema: &storagepb.ArrowSchema{SerializedSchema: schema}}, EstimatedRowCount: t.rows}
	for i := range n {
		session.ranges = append(session.ranges, [2]int64{t.rows * i / n, t.rows * (i + 1) / n})
		out.Streams = append(out.Streams, &storagepb.ReadStream{Name: fmt.Sprintf("%s/streams/%d", out.Name, i)})
	}
	a.s.sessions[out.Name] = session
	return out, nil
}

// ReadRows implements storagepb.BigQueryReadServer.
func (a *storageAPI) ReadRows(r *storagepb.ReadRowsRequest, stream storagepb.BigQueryRead_ReadRowsServer) error {
	a.s.count("ReadRows")
	name, at, _ := strings.Cut(r.GetReadStream(), "/streams/")
	a.s.mu.Lock()
	session := a.s.sessions[name]
	var broken *Break
	if len(a.s.breaks) > 0 {
		broken, a.s.breaks = &a.s.breaks[0], a.s.breaks[1:]
	}
	hold := a.s.hold
	a.s.streams++
	a.s.mu.Unlock()
	defer func() {
		a.s.mu.Lock()
		a.s.streams--
		a.s.mu.Unlock()
	}()
	var i int
	if _, err := fmt.Sscan(at, &i); err != nil || session == nil || i >= len(session.ranges) {
		return status.Error(codes.NotFound, "there is no such stream")
	}
	from, to := session.ranges[i][0]+r.GetOffset(), session.ranges[i][1]
	if broken != nil {
		to = min(to, from+broken.AfterRows)
	}
	ctx := stream.Context()
	first := true
	err := a.s.keeping(ctx, session.table, from, to, func(part []byte, rows int64) error {
		if !first && hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		first = false
		return stream.Send(&storagepb.ReadRowsResponse{RowCount: rows,
			Rows: &storagepb.ReadRowsResponse_ArrowRecordBatch{ArrowRecordBatch: &storagepb.ArrowRecordBatch{SerializedRecordBatch: part}}})
	})
	switch {
	case ctx.Err() != nil:
		return status.FromContextError(ctx.Err()).Err()
	case err != nil:
		return status.Error(codes.Internal, err.Error())
	case broken != nil:
		return status.Error(broken.Code, "the stream broke")
	}
	return nil
}

// message is one batch in memory.
type message struct {
	part []byte
	rows int64
}

// keeping sends the messages of some rows, from memory if they are kept there.
func (s *Server) keeping(ctx context.Context, t *stored, from, to int64, each func(part []byte, rows int64) error) error {
	key := fmt.Sprintf("%s %d %d", t.engineName, from, to)
	s.mu.Lock()
	list, known := s.kept[key]
	keep := s.kept != nil
	s.mu.Unlock()
	if known {
		for _, m := range list {
			if err := each(m.part, m.rows); err != nil {
				return err
			}
		}
		return nil
	}
	_, _, err := s.messages(ctx, t, from, to, func(part []byte, rows int64) error {
		if keep {
			list = append(list, message{part, rows})
		}
		return each(part, rows)
	})
	if err == nil && keep {
		s.mu.Lock()
		s.kept[key] = list
		s.mu.Unlock()
	}
	return err
}

// messages writes rows of a table as bare Arrow messages: the schema's, which
// it returns, and one a batch.
func (s *Server) messages(ctx context.Context, t *stored, from, to int64, each func(part []byte, rows int64) error) (schema []byte, rows int64, err error) {
	err = s.with(ctx, func(c *duckdb.Conn) error {
		r, err := c.Query(ctx, fmt.Sprintf("SELECT * FROM %s WHERE rowid >= %d AND rowid < %d ORDER BY rowid", quote(t.engineName), from, to))
		if err != nil {
			return err
		}
		defer r.Release()
		as := t.arrow(r.Schema())
		var buf bytes.Buffer
		w := ipc.NewWriter(&buf, ipc.WithSchema(as))
		// The writer writes the schema with the first batch.
		empty := array.NewRecordBatch(as, emptyColumns(as), 0)
		defer empty.Release()
		if err := w.Write(empty); err != nil {
			return err
		}
		if schema, err = firstMessage(buf.Bytes()); err != nil || each == nil {
			return err
		}
		for r.Next() {
			b := r.RecordBatch()
			cols := make([]arrow.Array, b.NumCols())
			for i := range cols {
				cols[i] = b.Column(i)
				if ext, ok := cols[i].(array.ExtensionArray); ok {
					cols[i] = ext.Storage()
				}
			}
			batch := array.NewRecordBatch(as, cols, b.NumRows())
			buf.Reset()
			err := w.Write(batch)
			batch.Release()
			if err != nil {
				return err
			}
			rows += b.NumRows()
			if err := each(bytes.Clone(buf.Bytes()), b.NumRows()); err != nil {
				return err
			}
		}
		return r.Err()
	})
	return schema, rows, err
}

func emptyColumns(s *arrow.Schema) []arrow.Array {
	out := make([]arrow.Array, s.NumFields())
	for i, f := range s.Fields() {
		out[i] = array.MakeArrayOfNull(memory.DefaultAllocator, f.Type, 0)
	}
	return out
}

// firstMessage cuts the first message off a stream of them.
func firstMessage(b []byte) ([]byte, error) {
	r := ipc.NewMessageReader(bytes.NewReader(b))
	defer r.Release()
	if _, err := r.Message(); err != nil {
		return nil, err
	}
	size := 8 + int(b[4]) + int(b[5])<<8 + int(b[6])<<16
	return bytes.Clone(b[:size]), nil
}

// marks are the extension types by which the service marks what Arrow has no
// type for.
var marks = map[string]string{"JSON": "google:sqlType:json", "GEOGRAPHY": "google:sqlType:geography", "DATETIME": "google:sqlType:datetime"}

// arrow is the schema of a table's rows: the engine's types under the service's
// marks.
func (t *stored) arrow(engine *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, engine.NumFields())
	for i, f := range engine.Fields() {
		if ext, ok := f.Type.(arrow.ExtensionType); ok {
			f.Type = ext.StorageType()
		}
		f.Nullable, f.Metadata = true, arrow.Metadata{}
		if mark, ok := marks[t.types[i].kind]; ok {
			f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{mark})
		}
		fields[i] = f
	}
	return arrow.NewSchema(fields, nil)
}
