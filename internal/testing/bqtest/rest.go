package bqtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

// routes are the methods of the REST API that the source uses; others are not
// found.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	route := func(pattern, method string, handle func(r *http.Request) (any, error)) {
		verb, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(verb+" /bigquery/v2/projects/{project}"+path, func(w http.ResponseWriter, r *http.Request) {
			s.count(method)
			out, err := handle(r)
			if err != nil {
				out = errorBody(w, err)
			} else {
				w.Header().Set("Content-Type", "application/json")
			}
			_ = json.NewEncoder(w).Encode(out) // the client has gone
		})
	}
	route("POST /jobs", "jobs.insert", s.jobsInsert)
	route("GET /jobs/{job}", "jobs.get", func(r *http.Request) (any, error) {
		j, err := s.job(r)
		if err != nil {
			return nil, err
		}
		return j.resourceNow(), nil
	})
	route("POST /jobs/{job}/cancel", "jobs.cancel", func(r *http.Request) (any, error) {
		j, err := s.job(r)
		if err != nil {
			return nil, err
		}
		j.cancel()
		return &bq.JobCancelResponse{Job: j.resourceNow()}, nil
	})
	route("GET /queries/{job}", "jobs.getQueryResults", s.queryResults)
	route("GET /datasets/{dataset}/tables/{table}", "tables.get", s.tablesGet)
	route("GET /datasets/{dataset}/tables/{table}/data", "tabledata.list", s.tabledataList)
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"Invalid JWT Signature."}`))
	})
	return mux
}

func errorBody(w http.ResponseWriter, err error) any {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{http.StatusInternalServerError, "backendError", err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	return map[string]any{"error": map[string]any{"code": r.status, "message": r.message,
		"errors": []any{map[string]any{"reason": r.reason, "message": r.message, "domain": "global"}}}}
}

func (s *Server) jobsInsert(r *http.Request) (any, error) {
	var in bq.Job
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, &refusal{http.StatusBadRequest, "parseError", err.Error()}
	}
	return s.insert(r.Context(), &in)
}

func (s *Server) job(r *http.Request) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[r.PathValue("job")]; j != nil {
		return j, nil
	}
	return nil, &refusal{http.StatusNotFound, "notFound", "Not found: Job " + r.PathValue("job")}
}

// queryResults waits for a job, for a while. Rows are only read by the Storage
// API.
func (s *Server) queryResults(r *http.Request) (any, error) {
	j, err := s.job(r)
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("maxResults") != "0" {
		return nil, &refusal{http.StatusBadRequest, "invalid", "rows are not listed here"}
	}
	wait := time.NewTimer(10 * time.Second)
	defer wait.Stop()
	out := &bq.GetQueryResultsResponse{JobReference: j.resource.JobReference}
	select {
	case <-j.done:
		if j.err != nil {
			return nil, j.err
		}
		out.JobComplete, out.TotalRows, out.Schema = true, uint64(j.rows), j.resource.Statistics.Query.Schema
	case <-wait.C:
	case <-r.Context().Done():
	}
	return out, nil
}

func (s *Server) table(r *http.Request) (*stored, error) {
	return s.find("", "")([]string{r.PathValue("project"), r.PathValue("dataset"), r.PathValue("table")})
}

func (s *Server) tablesGet(r *http.Request) (any, error) {
	t, err := s.table(r)
	if err != nil {
		return nil, err
	}
	bytes, err := s.bytes(r.Context(), t, "", func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	out := &bq.Table{
		Id: t.project + ":" + t.dataset + "." + t.name, Type: "TABLE", Description: t.def.Description, Schema: t.schema(), Location: "EU",
		TableReference: &bq.TableReference{ProjectId: t.project, DatasetId: t.dataset, TableId: t.name},
		NumRows:        uint64(t.rows), NumBytes: bytes, LastModifiedTime: uint64(t.modified.UnixMilli()), Etag: strconv.FormatInt(t.modified.UnixNano(), 36),
		RequirePartitionFilter: t.def.RequirePartitionFilter, TableConstraints: t.def.Constraints,
	}
	if t.def.View != "" || strings.HasPrefix(t.name, "slow") {
		out.Type, out.NumRows, out.NumBytes = "VIEW", 0, 0
		out.View = &bq.ViewDefinition{Query: t.def.View}
	}
	switch {
	case t.def.Materialized:
		out.Type, out.View, out.MaterializedView = "MATERIALIZED_VIEW", nil, &bq.MaterializedViewDefinition{Query: t.def.View}
	case t.def.External:
		out.Type, out.NumRows, out.NumBytes = "EXTERNAL", 0, 0
		out.ExternalDataConfiguration = &bq.ExternalDataConfiguration{SourceFormat: "PARQUET"}
	}
	if t.def.Bytes > 0 {
		out.NumBytes = t.def.Bytes
	}
	switch by, width := t.def.PartitionBy, t.def.PartitionWidth; {
	case width > 0:
		out.RangePartitioning = &bq.RangePartitioning{Field: by, Range: &bq.RangePartitioningRange{Start: 0, End: maxRanges * width, Interval: width, ForceSendFields: []string{"Start"}}}
	case by != "":
		out.TimePartitioning = &bq.TimePartitioning{Type: orText(t.def.PartitionStep, "DAY"), Field: strings.TrimPrefix(by, PartitionTime)}
	}
	if by := t.def.ClusterBy; len(by) > 0 {
		out.Clustering = &bq.Clustering{Fields: by}
	}
	return out, nil
}
