package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/ptr"
)

// lists pages through a list, selects, and deletes a collection.
func (run session) lists() {
	configs := run.client.CoreV1().ConfigMaps(run.namespace)
	for number := range 7 {
		_, err := configs.Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("page-%d", number), Labels: map[string]string{"paged": fmt.Sprint(number % 2)},
		}}, metav1.CreateOptions{})
		if err != nil {
			show("create page", nil, err)
		}
	}
	page, err := configs.List(run, metav1.ListOptions{Limit: 3})
	if err != nil {
		show("list", nil, err)
		return
	}
	show("list page", fmt.Sprint(len(page.Items), page.Continue != "", *page.RemainingItemCount), nil)
	names := []string{}
	lister := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) { return configs.List(run, options) }))
	lister.PageSize = 2
	err = lister.EachListItem(run, metav1.ListOptions{LabelSelector: "paged"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	})
	show("list pages", names, err)
	empty, err := configs.List(run, metav1.ListOptions{LabelSelector: "paged=none"})
	show("list nothing", len(empty.Items), err)
	show("delete collection", "ok", configs.DeleteCollection(run, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "paged=1"}))
	rest, err := configs.List(run, metav1.ListOptions{LabelSelector: "paged"})
	show("list the rest", len(rest.Items), err)
}

// watches sees each change of an object, and a bookmark.
func (run session) watches() {
	configs := run.client.CoreV1().ConfigMaps(run.namespace)
	watcher, err := configs.Watch(run, metav1.ListOptions{
		AllowWatchBookmarks: true, SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, LabelSelector: "paged",
	})
	if err != nil {
		show("watch", nil, err)
		return
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		config := event.Object.(*corev1.ConfigMap)
		show("watch", fmt.Sprint(event.Type, config.Name, config.Annotations), nil)
		if event.Type == watch.Bookmark {
			break
		}
	}
	made, err := configs.Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "watched", Labels: map[string]string{"paged": "2"}}}, metav1.CreateOptions{})
	if err == nil {
		made.Data = map[string]string{"a": "b"}
		_, err = configs.Update(run, made, metav1.UpdateOptions{})
	}
	if err == nil {
		err = configs.Delete(run, "watched", metav1.DeleteOptions{})
	}
	show("write watched", "ok", err)
	for shown := 0; shown < 3; {
		event, open := <-watcher.ResultChan()
		if !open {
			show("watch", "ended", nil)
			return
		}
		// A server sends a bookmark whenever it likes.
		if event.Type == watch.Bookmark {
			continue
		}
		shown++
		config := event.Object.(*corev1.ConfigMap)
		show("watch", fmt.Sprint(event.Type, config.Name, config.Data), nil)
	}
}

// informers runs shared informers, which begin with a streaming list.
func (run session) informers() {
	factory := informers.NewSharedInformerFactoryWithOptions(run.client, 200*time.Millisecond, informers.WithNamespace(run.namespace))
	events := make(chan string, 1000)
	informer := factory.Core().V1().ConfigMaps().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			events <- fmt.Sprint("add ", object.(*corev1.ConfigMap).Name, " ", initial)
		},
		UpdateFunc: func(before, after any) {
			one, two := before.(*corev1.ConfigMap), after.(*corev1.ConfigMap)
			if one.ResourceVersion == two.ResourceVersion {
				events <- "resync"
			} else {
				events <- fmt.Sprint("update ", two.Name, " ", two.Data)
			}
		},
		DeleteFunc: func(object any) { events <- "delete " + object.(*corev1.ConfigMap).Name },
	})
	show("informer", "ok", err)
	deployments := factory.Apps().V1().Deployments()
	_ = deployments.Informer()
	stop := make(chan struct{})
	defer factory.Shutdown()
	defer close(stop)
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	kept, err := deployments.Lister().Deployments(run.namespace).Get("web")
	if err == nil {
		show("informer has", kept, nil)
	} else {
		show("informer has", err.Error(), nil)
	}
	configs := run.client.CoreV1().ConfigMaps(run.namespace)
	made, err := configs.Create(run, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "zz-informed"}}, metav1.CreateOptions{})
	if err == nil {
		made.Data = map[string]string{"a": "b"}
		_, err = configs.Update(run, made, metav1.UpdateOptions{})
	}
	if err == nil {
		err = configs.Delete(run, "zz-informed", metav1.DeleteOptions{})
	}
	show("write informed", "ok", err)
	seen, resynced := map[string]bool{}, false
	timeout := time.After(10 * time.Second)
	for {
		select {
		case event := <-events:
			if event == "resync" {
				resynced = true
			} else if !seen[event] {
				seen[event] = true
			}
		case <-timeout:
			show("informer", "no event in time", nil)
			return
		}
		if seen["delete zz-informed"] && resynced {
			break
		}
	}
	for _, event := range []string{"add page-0 true", "add zz-informed false", "update zz-informed map[a:b]", "delete zz-informed"} {
		show("informed of "+event, seen[event], nil)
	}
}
