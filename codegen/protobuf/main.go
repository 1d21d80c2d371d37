// Command protobuf prints, as JSON, how the Go types of the Kubernetes API are written in protobuf and in JSON: what
// struct tags say of each field, and whether it is a pointer. `npm run generate:protobuf` runs it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// field is one member of a struct.
type field struct {
	Number int `json:"number"`
	// Proto is the name in the .proto file, JSON the one in JSON; JSON is empty for a struct that is inlined.
	Proto string `json:"proto"`
	JSON  string `json:"json"`
	// Label is value, pointer, list or map.
	Label string `json:"label"`
	// Shown says that JSON has the member even if it is empty.
	Shown bool `json:"shown"`
	// Type is string, bool, int32, int64, double, bytes, or the name of a message: of the value, item or map value.
	Type string `json:"type"`
}

type output struct {
	// Packages are the directories of the Go packages by apiVersion.
	Packages map[string]string `json:"packages"`
	// Messages are the fields of structs by name.
	Messages map[string][]field `json:"messages"`
	// Wrappers are named lists, which are messages with one repeated field.
	Wrappers map[string]string `json:"wrappers"`
	// Kinds are the types of all versions, by apiVersion.
	Kinds map[string][]string `json:"kinds"`
	// Imports are the import paths of the packages.
	Imports map[string]string `json:"imports"`
}

var stable = regexp.MustCompile(`^v\d+$`)

func main() {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme, apidiscovery.AddToScheme} {
		if err := add(all); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	metav1.AddToGroupVersion(all, metav1.SchemeGroupVersion)
	_ = metav1.AddMetaToScheme(all)
	out := output{map[string]string{}, map[string][]field{}, map[string]string{}, map[string][]string{}, map[string]string{}}
	for kind, goType := range all.AllKnownTypes() {
		apiVersion, _ := kind.ToAPIVersionAndKind()
		if strings.HasSuffix(goType.PkgPath(), "/meta/v1") || kind.Version == runtime.APIVersionInternal {
			continue
		}
		out.Kinds[apiVersion] = append(out.Kinds[apiVersion], kind.Kind)
		if !stable.MatchString(kind.Version) {
			continue
		}
		out.add(goType)
		name := out.name(goType)
		out.Packages[apiVersion] = name[:strings.LastIndex(name, ".")]
	}
	for _, one := range []any{metav1.Status{}, metav1.WatchEvent{}, metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, metav1.APIVersions{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.DeleteOptions{}, metav1.Timestamp{}, runtime.Unknown{}} {
		out.add(reflect.TypeOf(one))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	_ = encoder.Encode(out)
}

func (out *output) name(goType reflect.Type) string {
	path := goType.PkgPath()
	parts := strings.Split(path, "/")
	short := parts[len(parts)-1]
	if stable.MatchString(short) {
		short = parts[len(parts)-2] + "/" + short
	}
	out.Imports[short] = path
	return short + "." + goType.Name()
}

// add describes a struct and all that it refers to.
func (out *output) add(goType reflect.Type) {
	name := out.name(goType)
	if _, known := out.Messages[name]; known {
		return
	}
	out.Messages[name] = []field{}
	fields := []field{}
	for index := range goType.NumField() {
		member := goType.Field(index)
		tag, tagged := member.Tag.Lookup("protobuf")
		if !tagged || tag == "-" {
			continue
		}
		fields = append(fields, out.field(name, member, tag))
	}
	out.Messages[name] = fields
}

func (out *output) field(owner string, member reflect.StructField, tag string) field {
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		panic(owner + "." + member.Name + ": " + tag)
	}
	result := field{Number: number, Label: "value"}
	for _, part := range parts {
		if proto, found := strings.CutPrefix(part, "name="); found {
			result.Proto = proto
		}
	}
	options := strings.Split(member.Tag.Get("json"), ",")
	result.JSON = options[0]
	goType := member.Type
	if goType.Kind() == reflect.Pointer {
		result.Label = "pointer"
		goType = goType.Elem()
	} else if goType.Kind() == reflect.Slice && (goType.Name() == "" || parts[2] == "rep") && goType.Elem().Kind() != reflect.Uint8 {
		result.Label = "list"
		goType = goType.Elem()
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
	} else if goType.Kind() == reflect.Map {
		result.Label = "map"
		if goType.Key().Kind() != reflect.String {
			panic(owner + "." + member.Name + " has other keys than strings")
		}
		goType = goType.Elem()
	}
	omitted := false
	for _, option := range options[1:] {
		if option == "omitzero" || option == "omitempty" && (result.Label != "value" || goType.Kind() != reflect.Struct) {
			omitted = true
		}
	}
	result.Shown = !omitted
	result.Type = out.typeOf(owner, goType)
	return result
}

func (out *output) typeOf(owner string, goType reflect.Type) string {
	switch goType.Kind() {
	case reflect.Struct:
		out.add(goType)
		return out.name(goType)
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		name := out.name(goType)
		out.Wrappers[name] = out.typeOf(owner, goType.Elem())
		return name
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return goType.Kind().String()
	case reflect.Float64:
		return "double"
	case reflect.Uint8:
		return "uint32"
	}
	panic(owner + ": " + goType.String())
}
