package io.mongolock.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.event.EventListener;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockContext;

/**
 * What docs/observability.md and docs/operating.md show, so that it is compiled.
 */
public class EventSnippets {

	private final List<String> alarms = new CopyOnWriteArrayList<>();

	@EventListener
	void lost(LockApplicationEvent.Lost event) {
		alarm(event.lock().key() + ": " + event.reason());
	}

	void work(List<String> items) {
		for (String item : items) {
			if (LockContext.current().releaseRequested().isPresent()) {
				return;
			}
			process(item);
		}
	}

	private void process(String item) {
		this.alarms.remove(item);
	}

	private void alarm(String text) {
		this.alarms.add(text);
	}

}
