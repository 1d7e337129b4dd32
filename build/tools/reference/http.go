package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/serve"
	"github.com/agnes-data/da/internal/guard/strictjson"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	httpapi "github.com/agnes-data/da/server/http"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
	"github.com/agnes-data/da/workspace/filehttp"
)

// wireTypes are the types of package api that are sent as JSON.
var wireTypes = []any{
	api.ScanRequest{}, api.Estimate{}, api.Cap{}, api.QueryRequest{}, api.TableList{}, api.Table{}, api.TableSchema{}, api.ForeignKey{},
	api.ColumnPair{},
	api.Column{}, api.Sample{},
	api.TableJoins{}, api.Join{},
	api.SemanticModel{}, api.SemanticTable{}, api.Entity{}, api.Dimension{}, api.Metric{}, api.OneTime{}, api.MetricInput{}, api.Span{},
	api.Spine{},
	api.Known{}, api.Note{}, api.NewQuestion{}, api.SavedQuestion{}, api.Approval{}, api.NewApproval{},
	api.SearchResult{}, api.SearchHit{}, api.SearchMatch{}, api.SyncManifest{}, api.SyncTable{}, api.SyncFailure{}, api.RefreshedTable{},
	api.SourceState{}, api.HealthCheck{}, api.Identity{}, api.QuotaStatus{}, api.QuotaRule{}, api.Remaining{}, api.ErrorBody{}, api.Step{},
	api.User{}, api.NewUser{}, api.Group{}, api.NewGroup{}, api.Token{}, api.NewToken{}, api.CreatedToken{}, api.Grant{}, api.NewGrant{},
	api.RegisteredTable{}, api.AuditEvent{}, api.AuditData{}, api.End{}, api.Caveat{}, api.Subject{}, api.Count{},
	api.PageInfo{}, api.NewSignIn{}, api.CreatedSignIn{}, api.SignIn{}, api.NewDevice{}, api.DeviceCodes{}, api.DevicePoll{}, api.DeviceCode{},
	api.Device{}, api.DeviceAnswer{}, api.PageRows{}, api.QueryPrice{}, api.PageColumn{}, api.PageTables{},
	api.PageTable{}, api.PageFacet{}, api.PageFile{}, api.FileProgress{},
	api.KeepResult{}, api.KeptResult{}, api.ResultPart{}, api.ResultCondition{},
	api.ResultOrder{}, api.ResultWindow{}, api.ResultRows{}, api.SummarizeResult{}, api.ColumnSummary{}, api.SummaryBin{}, api.SummaryTop{},
	api.ProfileTable{}, api.Dashboard{}, api.NewDashboard{}, api.NewReport{},
	api.GroupResult{}, api.ResultGroups{}, api.PageSnapshot{}, api.KeepSnapshot{}, api.CompareSnapshots{}, api.PinSnapshot{},
	api.DeskQuery{}, api.RunningRequest{}, api.VisibleTable{}, api.VisiblePart{},
	agenthttp.ChatRequest{}, agenthttp.ChatReply{}, agent.Answer{}, provider.Usage{}, agent.Event{}, agent.DataFrame{}, agent.Chart{},
	agent.ChartSeries{},
	agenthttp.ConversationRequest{}, agenthttp.ConversationReset{}, agenthttp.ConversationList{}, agenthttp.ConversationRecords{},
	agenthttp.AgentHealth{}, agenthttp.AgentLimits{}, agenthttp.ConversationTitle{}, agenthttp.TurnStopped{},
	agenthttp.ShareConversation{}, agenthttp.SharedConversation{},
	api.FileRows{}, api.ValueRange{}, filehttp.FileList{}, filehttp.FileInfo{}, filehttp.FileChange{}, filehttp.FileTable{},
	filehttp.FileDownload{}, filehttp.FileForms{}, strictjson.Form{}, strictjson.Field{}, filehttp.FileOperations{}, filehttp.FileOperated{},
	filehttp.DraftList{}, filehttp.DraftChanges{}, filehttp.DraftDiff{}, content.Changed{}, content.Differences{},
	content.Difference{},
	workspace.File{}, workspace.Version{}, workspace.Usage{}, workspace.Draft{}, workspace.DraftChange{},
	conversation.Info{}, conversation.Shared{}, conversation.SharedTable{},
	conversation.Origin{}, conversation.Record{}, conversation.ToolCall{}, conversation.Function{}, conversation.Input{},
	conversation.Saved{},
	provider.Block{}, provider.Call{}, provider.Result{}, provider.Picture{}, provider.Opaque{},
}

// wireHeaders are the headers in addition to standard HTTP ones.
var wireHeaders = [][3]string{
	{"request", wire.HeaderMaxScanBytes, "refuse what would read more than these bytes"},
	{"request", wire.HeaderSession, "the conversation that the request is part of"},
	{"request", wire.HeaderSessionBudget, "bytes that the conversation may read in all"},
	{"request", wire.HeaderClient, "the program that calls, for the audit"},
	{"request", wire.HeaderInterim, "`" + wire.InterimWanted +
		"`: answer 102 Processing from time to time while a result takes long to begin"},
	{"request", wire.HeaderPageKey, "the key of a browser's sign-in, beside its cookie; neither works without the other"},
	{"102 Processing", wire.HeaderQueue, "the place of a request for a file among those that wait for the server's memory; 1 is the next one"},
	{"answer", wire.HeaderRequestID, "the request's id, as in logs and audit"},
	{"answer", wire.HeaderEffectiveAsOf, "when CURRENT_DATE and the like were evaluated"},
	{"answer", wire.HeaderOrdered, "`true` if the order of the rows is part of the result"},
	{"answer", wire.HeaderRowRule, "`true` if a rule limits which rows the caller may read; absent if not"},
	{"answer", wire.HeaderQuotaRemaining, "bytes left of the day's quota; absent if nothing bounds them"},
	{"answer", wire.HeaderCaveats, "what is to be known of a file of rows: a JSON list of [Caveat](#caveat), escaped as in a URL"},
	{"answer", wire.HeaderSessionRemaining, "bytes left of the conversation's budget"},
	{"answer", "Retry-After", "seconds to wait, with 429 and some 503"},
	{"trailer", wire.HeaderTruncated + ", " + wire.HeaderRows, "a courtesy to clients that see trailers; the end record counts"},
}

// httpPage is docs/http.md.
func httpPage() string {
	doors := serve.Doors(slog.New(slog.DiscardHandler), agenthttp.New(agenthttp.Config{}), filehttp.New(filehttp.Config{}))
	var b strings.Builder
	b.WriteString("# HTTP API\n\n" + generatedNote)
	b.WriteString("What `da serve` answers. `public` routes need no token, `user` routes a bearer token, `admin` routes one of an admin; [the page](page.md) has a cookie and a key in place of a token. Bodies are JSON, with `Content-Type: application/json`; a field that is not known is refused.\n\n")
	b.WriteString("| method | path | for | takes | gives | what it does |\n|---|---|---|---|---|---|\n")
	for _, e := range httpapi.Endpoints(doors...) {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", e.Method, e.Path, e.Access,
			linkTypes(tableCell(e.Takes)), linkTypes(tableCell(e.Gives)), tableCell(e.About))
	}
	b.WriteString("\n## Headers\n\n| in | header | what it says |\n|---|---|---|\n")
	for _, h := range wireHeaders {
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", h[0], strings.ReplaceAll(h[1], ", ", "`, `"), h[2])
	}
	b.WriteString("\n## Streams\n\nRows come as an Arrow IPC stream. Arrow's own end mark is followed by one line of JSON, the end record ([End](#end)): rows, bytes, whether a cap cut the result, and a hash of all that came before. A stream without it, or one that disagrees with it, is cut and must not be used. Every byte depends on the rows alone: what lies under NULLs, between values and behind them is zero.\n\nA client that sends `Accept: application/vnd.apache.arrow.stream; compression=zstd` gets batches whose buffers are compressed as the Arrow format has it, which every Arrow library reads: about a third of the bytes. Others, and clients of older servers, get the plain stream; the header `Content-Type` says which it is.\n\nA scan can be had as a parquet file, which is smaller still: `Accept: application/vnd.agnes.parquet-frames; compression=zstd` (or `snappy`). It travels in frames of a letter, a length of 32 bits, little-endian, and so many bytes: `S`, first, the Arrow schema; `P`, at any time, the rows and bytes so far, 64 bits each; `D` the next bytes of the file; `E`, last, the end record, whose `file_bytes` and `body_xxh3` are of the file.\n\nWith `X-Agnes-Keep: true` the server keeps the file, whatever its size, for a client that loses its connection or is killed, for 15 minutes after the last byte at most, and names it by `ETag`.\n\nThe same request with `If-Match` and `Range: bytes=N-` gets the rest; N counts bytes of the file, and `X-Agnes-From` says where the answer begins, since some proxies take the range off. 412 says that the file is not kept any more. Who has the file, or wants it no more, deletes it; a request that is not kept ends with its connection.\n")
	b.WriteString("\nCatalog, semantic model, schemas, samples and the manifest are compressed (zstd or gzip) for clients that send `Accept-Encoding`. No other JSON is: the length of a compressed body tells how much of a caller's text recurs in it, so searches, statements, estimates, errors, the audit, and whatever holds a token or a key go out plain.\n\nA result that is more than `api.scan.max_limit` rows or `api.scan.max_result_bytes` is cut there, and its end record says so. With `refuse_cut` in a [ScanRequest](#scanrequest), a scan that is known beforehand to be cut is refused instead, as `budget_exceeded` of the kind `would_be_cut`; `da fetch` asks for that unless it has `--limit` or `--allow-cut`. `row_rule` in an answer, or the header of a stream, says that a rule on rows applies to the caller, whether or not it hides any.\n")
	b.WriteString("\n## Errors\n\nAn error's body is JSON: `error` (the code), `kind`, `message`, `hint`, `next` (steps that lead on: an action of a closed list, its arguments, and why), `details`, `request_id`. What the command line makes of it is in [exit codes](exit-codes.md).\n\n| status | code | exit code of da | retryable |\n|---|---|---|---|\n")
	for _, c := range api.ServedCodes() {
		fmt.Fprintf(&b, "| %d %s | `%s` | %d | %s |\n", c.HTTPStatus(), http.StatusText(c.HTTPStatus()), c, exit.Codes[c],
			yesNo((&api.Error{Code: c}).Retryable()))
	}
	b.WriteString("\nSome kinds have a status of their own:\n\n| status | code | kind |\n|---|---|---|\n")
	for _, k := range httpapi.KindStatuses() {
		fmt.Fprintf(&b, "| %d %s | `%s` | `%s` |\n", k.Status, http.StatusText(k.Status), k.Code, k.Kind)
	}
	b.WriteString("\nOf `source_failed`, the kinds that only a change of the source mends are not retryable: " + "`" +
		strings.Join(api.LastingKinds(), "`, `") + "`.\n")
	b.WriteString("\n## Types\n\nA time is RFC 3339, in UTC. What is optional may be left out; further fields may come.\n")
	for _, v := range wireTypes {
		writeType(&b, reflect.TypeOf(v))
	}
	return b.String()
}

func writeType(b *strings.Builder, t reflect.Type) {
	fmt.Fprintf(b, "\n### %s\n\n| field | type |\n|---|---|\n", t.Name())
	writeFields(b, t)
}

func writeFields(b *strings.Builder, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			writeFields(b, f.Type)
		case f.IsExported() && name != "-":
			text := linkTypes(jsonType(f.Type))
			if strings.Contains(options, "omit") {
				text = "optional " + strings.TrimSuffix(text, " or null")
			}
			fmt.Fprintf(b, "| `%s` | %s |\n", name, text)
		}
	}
}

// jsonType names the JSON form of a Go type.
func jsonType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any JSON"
	case t.Kind() == reflect.Pointer:
		return jsonType(t.Elem()) + " or null"
	case t.Kind() == reflect.Slice:
		return "list of " + jsonType(t.Elem())
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "object"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Struct:
		return t.Name()
	case reflect.Map:
		return "object"
	case reflect.Interface:
		return "any JSON"
	}
	return "integer"
}

var typeName = lazyregexp.New(`\b[A-Z][A-Za-z]+\b`)

// linkTypes turns type names in a text into links.
func linkTypes(text string) string {
	return typeName().ReplaceAllStringFunc(text, func(name string) string {
		for _, v := range wireTypes {
			if reflect.TypeOf(v).Name() == name {
				return "[" + name + "](#" + strings.ToLower(name) + ")"
			}
		}
		return name
	})
}
