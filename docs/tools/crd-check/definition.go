package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	servervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

var scheme = func() *runtime.Scheme {
	made := runtime.NewScheme()
	install.Install(made)
	return made
}()

// A definition as it was written and as the server understands it.
type definition struct {
	file     string
	written  map[string]any
	internal *apiextensions.CustomResourceDefinition
}

// What is told of a definition. `Bytes` is the length of the annotation in which `kubectl apply` keeps it, of 262,144 an object may have.
type definitionReport struct {
	File      string     `json:"file"`
	Errors    []string   `json:"errors"`
	Bytes     int        `json:"bytes"`
	Rules     []ruleCost `json:"rules"`
	TotalCost uint64     `json:"totalCost"`
	// The most that one rule, and that all of them together may cost.
	RuleLimit  uint64 `json:"ruleLimit"`
	TotalLimit uint64 `json:"totalLimit"`
}

// The estimate the server makes of one rule: the worst case of one evaluation times the most places it may be evaluated at.
type ruleCost struct {
	Path string `json:"path"`
	Rule string `json:"rule"`
	Cost uint64 `json:"cost"`
}

func readDefinition(file string) (*definition, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	// The reader of `kubectl`, which takes YAML 1.1.
	var served apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &served); err != nil {
		return nil, err
	}
	written := map[string]any{}
	if err := yaml.Unmarshal(text, &written); err != nil {
		return nil, err
	}
	scheme.Default(&served)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(&served, internal, nil); err != nil {
		return nil, err
	}
	// The registry sets it before validation.
	for _, version := range served.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
		}
	}
	return &definition{file: file, written: written, internal: internal}, nil
}

func (d *definition) report() definitionReport {
	found := validation.ValidateCustomResourceDefinition(context.Background(), d.internal)
	schema := d.schema()
	costs := &costTable{environment: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), rules: []ruleCost{}}
	costs.add(schema, nil, validation.RootCELContext(schema))
	report := definitionReport{
		File:       d.file,
		Errors:     append(texts(found), costs.problems...),
		Bytes:      d.lastAppliedBytes(),
		Rules:      costs.rules,
		RuleLimit:  validation.StaticEstimatedCostLimit,
		TotalLimit: validation.StaticEstimatedCRDCostLimit,
	}
	for _, rule := range costs.rules {
		report.TotalCost += rule.Cost
	}
	return report
}

// As `kubectl apply` writes it: JSON as Go encodes it, which escapes `<`, `>` and `&`, with an empty map of annotations and a line feed.
func (d *definition) lastAppliedBytes() int {
	metadata, _ := d.written["metadata"].(map[string]any)
	metadata["annotations"] = map[string]any{}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(d.written); err != nil {
		panic(err)
	}
	return len(lastApplied) + text.Len()
}

// Where a definition has one version, it moves its schema to the top of the spec.
func (d *definition) schema() *apiextensions.JSONSchemaProps {
	if d.internal.Spec.Validation != nil {
		return d.internal.Spec.Validation.OpenAPIV3Schema
	}
	return d.internal.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// One for each version, in their order.
func (d *definition) serve() ([]*servedKind, error) {
	kinds := []*servedKind{}
	for _, version := range d.internal.Spec.Versions {
		kind, err := d.serveVersion(version)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func (d *definition) serveVersion(version apiextensions.CustomResourceDefinitionVersion) (*servedKind, error) {
	schema := d.schema()
	if version.Schema != nil {
		schema = version.Schema.OpenAPIV3Schema
	}
	structural, err := structuralschema.NewStructural(schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := servervalidation.NewSchemaValidator(schema)
	if err != nil {
		return nil, err
	}
	return &servedKind{
		name:       d.internal.Spec.Names.Kind,
		apiVersion: d.internal.Spec.Group + "/" + version.Name,
		structural: structural,
		schema:     validator,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// Walks a schema as the validation of definitions does, and keeps what that throws away: the cost of rules that are within the limit.
type costTable struct {
	environment *environment.EnvSet
	rules       []ruleCost
	problems    []string
}

func (t *costTable) add(schema *apiextensions.JSONSchemaProps, path *field.Path, context *validation.CELSchemaContext) {
	if schema == nil {
		return
	}
	if len(schema.XValidations) > 0 {
		t.addRules(schema, path, context)
	}
	for name := range schema.Properties {
		property := schema.Properties[name]
		t.add(&property, path.Child(name), context.ChildPropertyContext(&property, name))
	}
	if schema.Items != nil {
		t.add(schema.Items.Schema, path.Key("*"), context.ChildItemsContext(schema.Items.Schema))
	}
	if schema.AdditionalProperties != nil {
		values := schema.AdditionalProperties.Schema
		t.add(values, path.Key("*"), context.ChildAdditionalPropertiesContext(values))
	}
}

func (t *costTable) addRules(schema *apiextensions.JSONSchemaProps, path *field.Path, context *validation.CELSchemaContext) {
	info, err := context.TypeInfo()
	if err != nil || info == nil {
		t.problems = append(t.problems, fmt.Sprintf("%s: no type for its rules: %v", path, err))
		return
	}
	compiled, err := cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, t.environment, cel.NewExpressionsEnvLoader())
	if err != nil {
		t.problems = append(t.problems, fmt.Sprintf("%s: %v", path, err))
		return
	}
	for index, result := range compiled {
		places := result.MaxCardinality
		if context.MaxCardinality != nil {
			places = *context.MaxCardinality
		}
		t.rules = append(t.rules, ruleCost{Path: path.String(), Rule: schema.XValidations[index].Rule, Cost: multiply(result.MaxCost, places)})
	}
}

func multiply(cost, places uint64) uint64 {
	if cost != 0 && places > ^uint64(0)/cost {
		return ^uint64(0)
	}
	return cost * places
}

func texts(found field.ErrorList) []string {
	lines := []string{}
	for _, one := range found {
		lines = append(lines, one.Error())
	}
	return lines
}
