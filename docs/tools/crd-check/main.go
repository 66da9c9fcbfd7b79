// crd-check says of CustomResourceDefinitions what a Kubernetes API server would say, with the server's own code: whether it takes them, and
// what each of their CEL rules may cost; then, of every document on the standard input, whether it would be created under them.
//
//	crd-check FILE... < DOCUMENTS > VERDICTS
//
// DOCUMENTS has one `{"id": TEXT, "resource": OBJECT}` a line, VERDICTS one `{"definition": …}` for each file and then one `{"id", "accepted",
// "errors"}` for each document, in their order. The exit code is 2 when a file or a line cannot be read, and 0 otherwise: who asked judges.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "crd-check:", err)
		os.Exit(2)
	}
}

func run(files []string, documents io.Reader, verdicts io.Writer) error {
	writer := bufio.NewWriter(verdicts)
	defer writer.Flush()
	lines := json.NewEncoder(writer)
	kinds := map[string]*servedKind{}
	for _, file := range files {
		definition, err := readDefinition(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := lines.Encode(map[string]any{"definition": definition.report()}); err != nil {
			return err
		}
		served, err := definition.serve()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, kind := range served {
			kinds[kind.apiVersion+" "+kind.name] = kind
		}
	}
	return judge(kinds, bufio.NewReader(documents), lines)
}

type document struct {
	Id       string         `json:"id"`
	Resource map[string]any `json:"resource"`
}

type verdict struct {
	Id       string   `json:"id"`
	Accepted bool     `json:"accepted"`
	Errors   []string `json:"errors"`
}

func judge(kinds map[string]*servedKind, documents io.Reader, lines *json.Encoder) error {
	input := json.NewDecoder(documents)
	for {
		var one document
		if err := decodeNumbersAsServer(input, &one); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		found := refusals(kinds, one.Resource)
		if err := lines.Encode(verdict{Id: one.Id, Accepted: len(found) == 0, Errors: found}); err != nil {
			return err
		}
	}
}
