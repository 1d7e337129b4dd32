package firstengine

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/agnes-data/da/internal/engine/duckdb" // links the engine
	"github.com/agnes-data/da/internal/engine/duckdb/instance"
)

// TestMain is also the command that TestFewFiles runs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "query" {
		fmt.Fprint(os.Stdout, instance.First() != nil)
		os.Exit(0) //nolint:forbidigo // this is main here
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is main here
}

// TestFewFiles checks that nothing takes files from Go where they are few.
func TestFewFiles(t *testing.T) {
	for limit, want := range map[int]string{20: "false", 200: "true"} {
		out, err := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" query`, limit), os.Args[0]).Output()
		if err != nil || string(out) != want {
			t.Errorf("%d files: the engine is begun: %q, error %v", limit, out, err)
		}
	}
}

func TestNeeded(t *testing.T) {
	for line, want := range map[string]bool{
		"da": false, "da version": false, "da help query": false, "da catalog --json": false,
		"da query": true, "da query SELECT": true, "da fetch t --name query": true, "da shell": true,
		"da query --remote SELECT": false, "da query --help": false, "da fetch t --estimate": false, "da query -h": false,
	} {
		if got := needed(strings.Fields(line)); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
