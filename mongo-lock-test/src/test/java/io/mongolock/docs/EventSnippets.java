package io.mongolock.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.event.EventListener;

import io.mongolock.LockApplicationEvent;

/**
 * What docs/observability.md shows, so that it is compiled.
 */
public class EventSnippets {

	private final List<String> alarms = new CopyOnWriteArrayList<>();

	@EventListener
	void lost(LockApplicationEvent.Lost event) {
		alarm(event.lock().key() + ": " + event.reason());
	}

	private void alarm(String text) {
		this.alarms.add(text);
	}

}
