package bigquery

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"

	"github.com/agnes-data/da/internal/testing/bqtest"
)

const benchRows = 1_000_000

// benchTable is a table of ten columns, of the kinds that tables mostly have,
// in a server that sends it from memory.
func benchTable(b *testing.B) (*BigQuery, *bigquery.Table) {
	b.Helper()
	s := bqtest.Open(b)
	s.Keep()
	var table bqtest.Table
	for i, t := range []string{"INT64", "INT64", "NUMERIC", "FLOAT64", "STRING", "STRING", "DATE", "TIMESTAMP", "BOOL", "STRING"} {
		table.Columns = append(table.Columns, bqtest.Column{Name: fmt.Sprintf("c%d", i), Type: t})
	}
	s.Load(b, "big", table, fmt.Sprintf(`SELECT i, i %% 1000, (i %% 100000) / 7, i / 3.0, md5(i::VARCHAR), 'code' || i %% 50, DATE '2001-01-01' + CAST(i %% 3650 AS INTEGER),
		TIMESTAMPTZ '2001-01-01 00:00:00+00' + to_seconds(i), i %% 3 = 0, 'žluťoučký kůň ' || i %% 100 FROM range(%d) AS r(i)`, benchRows))
	src := open(b, options(s))
	b.Cleanup(func() {
		if err := src.Close(); err != nil {
			b.Error(err)
		}
	})
	jobs, _, err := src.clients.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return src, jobs.DatasetInProject(bqtest.Project, bqtest.Dataset).Table("big")
}

// BenchmarkMessages passes the messages of the Storage Read API through as they
// come: what reading can at most be.
func BenchmarkMessages(b *testing.B) {
	src, table := benchTable(b)
	_, rows, err := src.clients.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	name, err := table.Identifier(bigquery.StorageAPIResourceID)
	if err != nil {
		b.Fatal(err)
	}
	pass := func() (bytes int64) {
		session, err := rows.CreateReadSession(b.Context(), &storagepb.CreateReadSessionRequest{Parent: "projects/" + bqtest.Project, MaxStreamCount: maxStreams,
			ReadSession: &storagepb.ReadSession{Table: name, DataFormat: storagepb.DataFormat_ARROW}})
		if err != nil {
			b.Fatal(err)
		}
		parts := make(chan []byte, maxStreams)
		var group sync.WaitGroup
		for _, s := range session.GetStreams() {
			group.Go(func() {
				stream, err := rows.ReadRows(b.Context(), &storagepb.ReadRowsRequest{ReadStream: s.GetName()})
				for err == nil {
					var r *storagepb.ReadRowsResponse
					if r, err = stream.Recv(); err == nil {
						parts <- r.GetArrowRecordBatch().GetSerializedRecordBatch()
					}
				}
				if !errors.Is(err, io.EOF) {
					b.Error(err)
				}
			})
		}
		go func() {
			group.Wait()
			close(parts)
		}()
		for part := range parts {
			n, _ := io.Discard.Write(part)
			bytes += int64(n)
		}
		return bytes
	}
	b.SetBytes(pass())
	for b.Loop() {
		pass()
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// BenchmarkBatches reads the same as checked Arrow batches.
func BenchmarkBatches(b *testing.B) {
	src, table := benchTable(b)
	_, client, err := src.clients.open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	read := func() (bytes int64) {
		r, err := src.openReader(b.Context(), client, work{what: "the table", fail: func(err error) error { return err }}, table)
		if err != nil {
			b.Fatal(err)
		}
		r.cancel = func() {}
		defer r.Release()
		rows := int64(0)
		for r.Next() {
			batch := r.RecordBatch()
			rows += batch.NumRows()
			for _, c := range batch.Columns() {
				for _, buf := range c.Data().Buffers() {
					if buf != nil {
						bytes += int64(buf.Len())
					}
				}
			}
		}
		if r.Err() != nil || rows != benchRows {
			b.Fatalf("%d rows, %v", rows, r.Err())
		}
		return bytes
	}
	b.SetBytes(read())
	for b.Loop() {
		read()
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
