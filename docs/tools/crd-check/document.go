package main

import (
	"context"
	"encoding/json"
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	servervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// What the server keeps to judge the objects of one definition.
type servedKind struct {
	name       string
	apiVersion string
	structural *structuralschema.Structural
	schema     servervalidation.SchemaValidator
	rules      *cel.Validator
}

// Every reason for which the server refuses to create an object when the client asks for strict field validation, status included.
func refusals(kinds map[string]*servedKind, resource map[string]any) []string {
	apiVersion, _ := resource["apiVersion"].(string)
	name, _ := resource["kind"].(string)
	kind, found := kinds[apiVersion+" "+name]
	if !found {
		return []string{fmt.Sprintf("no definition for kind %q in %q", name, apiVersion)}
	}
	unknown, err := kind.read(resource)
	if err != nil {
		return []string{err.Error()}
	}
	refused := []string{}
	for _, path := range unknown {
		refused = append(refused, fmt.Sprintf("unknown field %q", path))
	}
	return append(refused, texts(kind.validate(&unstructured.Unstructured{Object: resource}))...)
}

// What happens to an object between its JSON and its validation. Gives the fields that are in no schema.
func (k *servedKind) read(resource map[string]any) ([]string, error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(resource, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(resource, k.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(resource, k.structural)
	defaulting.Default(resource, k.structural)
	if found {
		if meta.Namespace == "" {
			meta.Namespace = "default"
		}
		err = objectmeta.SetObjectMeta(resource, meta)
	}
	return unknown, err
}

func (k *servedKind) validate(resource *unstructured.Unstructured) field.ErrorList {
	found := metavalidation.ValidateObjectMetaAccessor(resource, true, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	found = append(found, servervalidation.ValidateCustomResource(nil, resource.Object, k.schema)...)
	found = append(found, objectmeta.Validate(nil, resource.Object, k.structural, false)...)
	found = append(found, listtype.ValidateListSetsAndMaps(nil, k.structural, resource.Object)...)
	if len(found) > 0 || k.rules == nil {
		return found
	}
	broken, _ := k.rules.Validate(context.Background(), nil, k.structural, resource.Object, nil, celconfig.RuntimeCELCostBudget)
	return broken
}

// Whole numbers are int64 to the server and others float64; the decoder of the standard library has only the latter.
func decodeNumbersAsServer(input *json.Decoder, into *document) error {
	var raw struct {
		Id       string          `json:"id"`
		Resource json.RawMessage `json:"resource"`
	}
	if err := input.Decode(&raw); err != nil {
		return err
	}
	into.Id = raw.Id
	into.Resource = map[string]any{}
	return utiljson.Unmarshal(raw.Resource, &into.Resource)
}
