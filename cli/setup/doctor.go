package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/jobs"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/build"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/reason"
	"github.com/agnes-data/da/internal/words/shellwords"
)

const (
	// lowDisk is the free space, in bytes, below which there is a warning.
	lowDisk = 1_000_000_000
	// clockSkew is the tolerated difference between the clocks of server and
	// client.
	clockSkew = time.Minute
)

// NewDoctorCmd returns 'da doctor'.
func NewDoctorCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what da needs, and say how to fix it",
		Long: `Doctor checks versions, configuration, disk, kept snapshots and results, the
last runs of files of steps, the server or instance with its sources, token and
clock, and says how to fix what is wrong. If a check fails, doctor exits with
the code that other commands would return for that problem.`,
		Example: "  da doctor\n  da doctor --json",
		Args:    usage.Exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a) },
	}
}

// Diagnosis is what da doctor --json prints.
type Diagnosis struct {
	OK     bool              `json:"ok" jsonschema:"no check failed"`
	Checks []api.HealthCheck `json:"checks"`
}

// examination collects the checks, and the first failure.
type examination struct {
	Diagnosis
	failure error
}

func (e *examination) add(name, status, says, fix string) {
	e.Checks = append(e.Checks, api.HealthCheck{Name: name, Status: status, Says: says, Fix: fix})
}

// fail adds a failed check, with the fix from the error or the given one.
func (e *examination) fail(name string, err error, fix string) {
	var known *api.Error
	if errors.As(err, &known) && exit.WithNext(known).Hint != "" {
		fix = exit.WithNext(known).Hint
	}
	c := api.HealthCheck{Name: name, Status: api.CheckFailed, Says: err.Error(), Fix: fix}
	if known != nil && known.Err != nil {
		c.Cause = reason.Line(known.Err.Error(), app.MaxCause)
	}
	e.failed(c, err)
}

// failed adds a check that failed with err.
func (e *examination) failed(c api.HealthCheck, err error) {
	e.Checks = append(e.Checks, c)
	if e.failure == nil {
		e.failure = err
	}
}

func runDoctor(ctx context.Context, a *app.App) error {
	var e examination
	e.add("version", api.CheckOK, fmt.Sprintf("da %s, %s, DuckDB %s", build.Current().Version, build.Current().Go, duckdb.Version), "")
	checkConfig(a, &e)
	checkHome(a, &e)
	checkRuns(a, &e)
	checkService(ctx, a, &e)
	return e.show(a)
}

// show prints the checks, and returns an error if one of them failed.
func (e *examination) show(a *app.App) error {
	e.OK = e.failure == nil
	list := output.List{Columns: []string{"check", "status", "says", "fix"}}
	for _, c := range e.Checks {
		list.Rows = append(list.Rows, []any{c.Name, c.Status, c.Says, c.Fix})
	}
	if err := a.ShowItems(a.OutputFormat(), e.Diagnosis, list, e.Checks); err != nil {
		return err
	}
	if e.failure == nil {
		return nil
	}
	code := exit.Failure(e.failure, false).Code
	return &api.Error{Code: code, Kind: api.KindDoctor, Message: e.failures(), Hint: e.fixes(), Details: e.details(), Err: e.failure}
}

// operatorCommands are what to type after the fix of a server's check.
var operatorCommands = map[string]string{
	"state":    "da admin audit prune --before 365d",
	"copies":   "da admin table refresh ID",
	"requests": "da admin audit --since 1h",
	"quotas":   "da admin quota",
	"tokens":   "da admin token create --user NAME --expires 90d",
}

// NewServerDoctorCmd returns 'da admin doctor'.
func NewServerDoctorCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Say what a server is near, what fails, and what to do",
		Example: "  da admin doctor\n  da admin doctor --json",
		Args:    usage.Exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return examineServer(cmd.Context(), a) },
	}
}

// examineServer prints what a server finds of its sources and itself.
func examineServer(ctx context.Context, a *app.App) error {
	admin, err := a.Administer()
	if err != nil {
		return err
	}
	var e examination
	checks, err := admin.Health(ctx)
	if err != nil {
		return err
	}
	checkSources(ctx, a, &e, admin)
	for _, c := range checks {
		if command := operatorCommands[c.Name]; command != "" && c.Fix != "" {
			c.Fix += " " + command
		}
		if c.Status == api.CheckFailed {
			e.failed(c, &api.Error{Code: api.CodeUnavailable, Kind: api.KindDoctor, Message: c.Says})
		} else {
			e.Checks = append(e.Checks, c)
		}
	}
	return e.show(a)
}

// failures says how many checks failed, and which.
func (e *examination) failures() string {
	names := e.details()["failed"].([]string)
	return fmt.Sprintf("%d of %s failed: %s", len(names), humanize.Plural(int64(len(e.Checks)), "check", "checks"), strings.Join(names, ", "))
}

// details returns for programs which checks failed, and the cause of the first
// failure that has one.
func (e *examination) details() map[string]any {
	var names []string
	details := map[string]any{}
	for _, c := range e.Checks {
		if c.Status != api.CheckFailed {
			continue
		}
		names = append(names, c.Name)
		if details["cause"] == nil && c.Cause != "" {
			details["cause"] = c.Cause
		}
	}
	details["failed"] = names
	return details
}

// fixes lists in full what failed and how to fix it, because a narrow terminal
// cuts the cells of the list.
func (e *examination) fixes() string {
	var lines []string
	for _, c := range e.Checks {
		if c.Status == api.CheckFailed {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s. %s", c.Name, strings.TrimSuffix(c.Says, "."), c.Fix)))
		}
	}
	return strings.Join(lines, "\n")
}

// checkConfig reads the client's files.
func checkConfig(a *app.App, e *examination) {
	file, err := a.Places().ClientConfig()
	if err == nil {
		_, err = config.LoadClient(a.Places())
	}
	if err != nil {
		e.fail("config", err, "Correct the file, or remove it.")
		return
	}
	says := a.Tilde(file)
	if _, err := os.Stat(file); err != nil {
		says += " does not exist; defaults are used"
	}
	e.add("config", api.CheckOK, says, "")
}

// checkHome checks that the folder of snapshots is writable, has free space, and
// contains no damaged snapshot.
func checkHome(a *app.App, e *examination) {
	work, err := a.Analyst()
	if err != nil {
		e.fail("home", err, "Set DA_HOME to a folder that can be written.")
		return
	}
	probe := filepath.Join(work.Home, ".doctor")
	if err := atomicfile.WriteFile(probe, []byte("written by da doctor\n"), 0o600); err != nil {
		e.fail("home", atomicfile.Explain("write below "+work.Home, err), "Set DA_HOME to a folder that can be written.")
	} else {
		_ = os.Remove(probe) // it was just written, so it can be removed
		if open := exposed(work.Home); open != "" {
			e.add("home", api.CheckWarning, a.Tilde(open)+" can be read or changed by other users of this machine",
				"chmod -R go= "+shellwords.Quote(work.Home))
		} else {
			e.add("home", api.CheckOK, a.Tilde(work.Home), "")
		}
	}
	checkDisk(a, e, work)
	checkSnapshots(a, e, work)
	kept := work.Results().List()
	total := int64(0)
	for _, m := range kept {
		total += m.Bytes
	}
	e.add("results", api.CheckOK, fmt.Sprintf("%s, %s", humanize.Plural(int64(len(kept)), "result", "results"), humanize.Bytes(total)), "")
}

// mostRuns is how many runs of files of steps are shown.
const mostRuns = 5

// checkRuns shows how the files of steps ended that ran last.
func checkRuns(a *app.App, e *examination) {
	home, err := a.Places().Data()
	if err != nil {
		return // said already
	}
	runs := jobs.Runs(home)
	for _, r := range runs[:min(len(runs), mostRuns)] {
		says := a.Tilde(r.File) + " began " + humanize.Age(a.Now().Sub(r.Started))
		again := "da run " + shellwords.Quote(r.File) + " --resume"
		switch {
		case r.Ended == nil:
			e.add("run", api.CheckWarning, says+", and runs still or was cut", again)
		case r.ExitCode != 0:
			e.add("run", api.CheckWarning, fmt.Sprintf("%s, and ended with exit code %d", says, r.ExitCode), again)
		default:
			e.add("run", api.CheckOK, says+", and succeeded", "")
		}
	}
}

// exposed returns home, or a folder in it, if other users could change its files
// or read what da stores there; "" if not. Files that da creates are accessible
// to the user only.
func exposed(home string) string {
	if info, err := os.Stat(home); err == nil && info.Mode().Perm()&0o022 != 0 {
		return home
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && info.Mode().Perm()&0o077 != 0 {
			return filepath.Join(home, e.Name())
		}
	}
	return ""
}

func checkDisk(a *app.App, e *examination, work *analyst.Analyst) {
	info, err := keep.DiskUsage(work)
	switch {
	case err != nil:
		e.fail("disk", err, "Check that the folder can be read.")
	case info.FreeBytes < lowDisk:
		e.add("disk", api.CheckWarning, humanize.Bytes(info.FreeBytes)+" free",
			"Free some space: da snapshot prune --older-than 30d, da result drop --all.")
	case info.OverQuota:
		e.add("disk", api.CheckWarning, info.Warning().Text, "Drop what is not needed: da snapshot prune --auto.")
	default:
		e.add("disk", api.CheckOK, fmt.Sprintf("%s free, snapshots take %s of %s", humanize.Bytes(info.FreeBytes), humanize.Bytes(info.UsedBytes),
			humanize.Bytes(info.QuotaBytes)), "")
	}
}

func checkSnapshots(a *app.App, e *examination, work *analyst.Analyst) {
	list, err := keep.List(work)
	if err != nil {
		e.fail("snapshots", err, "Check that the folder can be read.")
		return
	}
	for _, d := range list.Damaged {
		e.fail("snapshots", &api.Error{Code: api.CodeReadFailed, Message: d.Reason},
			fmt.Sprintf("Fetch it again, or remove it: da snapshot drop %s.", d.Name))
	}
	if len(list.Damaged) == 0 {
		e.add("snapshots", api.CheckOK, humanize.Plural(int64(len(list.Whole)), "snapshot", "snapshots")+", no file missing", "")
	}
}

// checkService asks the server or opens the instance: who the caller is, what
// they can read, and what time it is there.
func checkService(ctx context.Context, a *app.App, e *examination) {
	url, err := a.ServerToUse()
	name := "server"
	if err == nil && url == "" {
		name = "instance"
	}
	var remote analyst.Remote
	if err == nil {
		remote, err = a.Connect()
	}
	if err != nil {
		e.fail(name, err, "Name a server with --server or DA_SERVER, or an instance with --instance or DA_INSTANCE.")
		e.add("token", api.CheckSkipped, "the "+name+" comes first", "")
		e.add("clock", api.CheckSkipped, "the "+name+" comes first", "")
		return
	}
	who, err := remote.Whoami(ctx)
	switch {
	case url == "":
		e.add("token", api.CheckSkipped, "an instance in process needs none", "")
		if a.StateFailure != nil {
			e.fail("state", a.StateFailure, "")
		}
	case api.CodeUnauthorized.Is(err):
		e.add(name, api.CheckOK, remote.Name+" answers", "")
		e.fail("token", err, "Log in again: da login URL.")
		e.add("clock", api.CheckSkipped, "the token comes first", "")
		return
	case err != nil:
		e.fail(name, err, "Check the address and the network.")
		e.add("token", api.CheckSkipped, "the server comes first", "")
		e.add("clock", api.CheckSkipped, "the server comes first", "")
		return
	default:
		said := "you are " + who.User
		if login, err := a.LoginAt(url); err == nil && login != nil && login.Keyring {
			said += ", by a token in the system's keyring"
		}
		e.add("token", api.CheckOK, said, "")
	}
	asked := a.Now()
	tables, err := remote.Tables(ctx)
	if err != nil {
		e.fail(name, err, "Check the address and the network.")
		e.add("clock", api.CheckSkipped, "the "+name+" comes first", "")
		return
	}
	e.add(name, api.CheckOK, fmt.Sprintf("%s has %s for you", remote.Name, humanize.Plural(int64(len(tables.Tables)), "table", "tables")), "")
	checkClock(a, e, url, tables.ServerTime.Sub(asked), a.Now().Sub(asked))
	checkSources(ctx, a, e, a.Administration)
}

// checkClock compares the clocks. The server read its clock at some moment during
// the request.
func checkClock(a *app.App, e *examination, url string, ahead, took time.Duration) {
	switch {
	case url == "":
		e.add("clock", api.CheckOK, "server and client are one process", "")
	case ahead < -clockSkew || ahead > took+clockSkew:
		e.fail("clock", &api.Error{Code: api.CodeConfig,
			Message: fmt.Sprintf("the server's clock and this one are %s apart", humanize.Duration(ahead.Abs()))},
			"Set the clocks by NTP: ages and dates relative to now are wrong otherwise.")
	default:
		e.add("clock", api.CheckOK, "agrees with the server's", "")
	}
}
