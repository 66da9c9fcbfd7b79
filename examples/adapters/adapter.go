// Adapter between the conformance suite and {{name}}: one JSON object per line comes in, one goes out with the same seq.
// The protocol: docs/guide/adapter-protocol.md of proxy-conformance. Only answers may go to standard output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

type resource struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
}

type message struct {
	Seq   int    `json:"seq"`
	Cmd   string `json:"cmd"`
	Op    string `json:"op"`
	Dir   string `json:"dir"`
	Ports struct {
		Data  int `json:"data"`
		Admin int `json:"admin"`
	} `json:"ports"`
	Resources []resource `json:"resources"`
}

type answer map[string]any

// What starts the implementation.
var command = []string{"{{words}}"}

var expressible = map[string]bool{"Namespace": true, "Gateway": true, "HTTPRoute": true, "ProxyBackend": true}
var program *exec.Cmd

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var asked message
		said := answer{"error": answer{"message": "the line is no message"}}
		if json.Unmarshal(line, &asked) == nil {
			said = handle(asked)
		}
		said["seq"] = asked.Seq
		if err := out.Encode(said); err != nil {
			break
		}
	}
	stop() // the suite is gone; so is the implementation
}

func handle(asked message) answer {
	switch asked.Cmd {
	case "hello":
		return answer{"protocol": 1, "implementation": answer{"name": "{{name}}"}, "ops": []string{}}
	case "start":
		return start(asked)
	case "apply":
		return apply(asked)
	case "op":
		return answer{"unsupported": "op " + asked.Op}
	case "stop":
		return stop()
	}
	return answer{"unsupported": "cmd " + asked.Cmd}
}

// Starts the implementation on the ports of the message. It need not serve yet: the suite waits for its canary.
func start(asked message) answer {
	values := strings.NewReplacer(
		"{data}", strconv.Itoa(asked.Ports.Data), "{admin}", strconv.Itoa(asked.Ports.Admin), "{dir}", asked.Dir)
	var words []string
	for _, word := range command {
		words = append(words, values.Replace(word))
	}
	starting := exec.Command(words[0], words[1:]...)
	starting.Stdout, starting.Stderr = os.Stderr, os.Stderr
	if err := starting.Start(); err != nil {
		return answer{"error": answer{"message": err.Error()}}
	}
	program = starting
	return answer{"ok": true}
}

// Hands over everything that shall exist from now on. What cannot be expressed has to be refused by name.
func apply(asked message) answer {
	if program == nil {
		return answer{"error": answer{"message": "start comes before apply"}}
	}
	// TODO also look into the resources: a field that is left out in silence would accuse the implementation.
	var refused []answer
	for _, one := range asked.Resources {
		if !expressible[one.Kind] {
			refused = append(refused, answer{
				"resource": fmt.Sprintf("%s %s/%s", one.Kind, one.Metadata.Namespace, one.Metadata.Name),
				"message":  one.Kind + " cannot be expressed",
			})
		}
	}
	if refused != nil {
		return answer{"rejected": refused}
	}
	// TODO write the resources in the language of the implementation, and make it read them.
	return answer{"error": answer{"message": "this adapter does not hand over a configuration yet"}}
}

func stop() answer {
	if program != nil {
		_ = program.Process.Kill()
		_ = program.Wait()
		program = nil
	}
	return answer{"ok": true}
}
