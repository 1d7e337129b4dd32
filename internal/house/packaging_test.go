package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestServiceUnit has systemd read the unit that the package installs.
func TestServiceUnit(t *testing.T) {
	atRoot()
	unit, err := os.ReadFile("build/packaging/da.service")
	if err != nil {
		t.Fatal(err)
	}
	testneed.Program(t, "systemd-analyze")
	// The program must be there for the check, and need not be da.
	text := strings.Replace(string(unit), "ExecStart=/usr/bin/da ", "ExecStart=/bin/true ", 1)
	if text == string(unit) {
		t.Fatal("the unit does not start /usr/bin/da")
	}
	file := filepath.Join(t.TempDir(), "da.service")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd complains: %v\n%s", err, out)
	}
}

// TestPackagesHoldTheSame compares the two lists of what is packed: that of
// make package, and that of releases.
func TestPackagesHoldTheSame(t *testing.T) {
	atRoot()
	for _, packed := range []string{"build/packaging/da.service", "build/packaging/da.sysusers", "build/packaging/nginx.conf", "docs/instance.yaml.example",
		"build/packaging/postinstall", "build/packaging/preremove"} {
		if _, err := os.Stat(packed); err != nil {
			t.Error(err)
		}
		for _, list := range []string{"build/packaging/nfpm.yaml", ".goreleaser.yaml"} {
			text, err := os.ReadFile(list)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), packed) {
				t.Errorf("%s does not pack %s", list, packed)
			}
		}
	}
}

// TestMonitoringAsksForWhatThereIs holds alerts and dashboard to the figures that
// docs/access.md lists.
func TestMonitoringAsksForWhatThereIs(t *testing.T) {
	atRoot()
	listed, err := os.ReadFile("docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"build/monitoring/alerts.yaml", "build/monitoring/dashboard.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile(`agnes_[a-z0-9_]+`).FindAllString(string(text), -1)
		if len(asked) == 0 {
			t.Errorf("%s asks for nothing", file)
		}
		for _, name := range asked {
			if !strings.Contains(string(listed), "`"+strings.TrimSuffix(name, "_bucket")+"`") {
				t.Errorf("%s asks for %s, which docs/access.md does not list", file, name)
			}
		}
	}
	var board struct{ Panels []struct{ Title string } }
	text, err := os.ReadFile("build/monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &board); err != nil || len(board.Panels) == 0 {
		t.Errorf("the dashboard has no panels: %v", err)
	}
}
