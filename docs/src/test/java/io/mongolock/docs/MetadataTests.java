package io.mongolock.docs;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.ClassUtils;

import io.mongolock.autoconfigure.MongoLockProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an editor knows of the settings.
 */
class MetadataTests {

	/** What has no default, and what its description says about that. */
	private static final Map<String, String> WITHOUT_DEFAULT = Map.ofEntries(
			Map.entry("mongo-lock.margin", "20 % of the ttl unless set"),
			Map.entry("mongo-lock.renew-interval", "by default 1 second"),
			Map.entry("mongo-lock.operation-timeout", "3 seconds, or less for a short ttl"),
			Map.entry("mongo-lock.locks", "by name"), Map.entry("mongo-lock.sequences", "by name"),
			Map.entry("mongo-lock.mongo-template", "if there are several"),
			Map.entry("mongo-lock.unavailable-handler", "for methods without SKIP, fallback or handler"),
			Map.entry("management.endpoint.mongolocks.roles", "any user if there are none"),
			Map.entry("management.endpoint.mongojobs.roles", "any user if there are none"));

	private final List<Document> properties = entries("properties");

	private final List<Document> hints = entries("hints");

	@Test
	void everyPropertyHasADescriptionAndADefaultOrSaysWhyNot() {
		assertThat(this.properties).hasSizeGreaterThan(30).allSatisfy((property) -> {
			assertThat(property.getString("description")).as(property.toJson()).isNotBlank();
			String reason = WITHOUT_DEFAULT.get(property.getString("name"));
			if (reason != null) {
				assertThat(property.getString("description")).contains(reason);
			}
			else {
				assertThat(property.get("defaultValue")).as(property.toJson()).isNotNull();
			}
		});
		assertThat(names()).containsAll(WITHOUT_DEFAULT.keySet());
	}

	@Test
	void everyHintIsOfAProperty() {
		assertThat(this.hints).isNotEmpty()
			.allSatisfy((hint) -> assertThat(names()).contains(hint.getString("name").replaceFirst("\\.keys$", "")));
		assertThat(values("mongo-lock.locks.keys")).isNotEmpty();
	}

	@Test
	void everyDurationOfALockHasExamplesThatAreDurationsAndItsDefaultAmongThem() {
		List<Document> durations = this.properties.stream()
			.filter((property) -> "java.time.Duration".equals(property.getString("type")))
			.filter((property) -> property.getString("name").startsWith("mongo-lock."))
			.filter((property) -> !property.getString("name").startsWith("mongo-lock.optimistic."))
			.toList();
		assertThat(durations).hasSizeGreaterThan(5).allSatisfy((property) -> {
			List<String> values = values(property.getString("name"));
			assertThat(values).as(property.toJson()).isNotEmpty().allSatisfy(DurationStyle::detectAndParse);
			if (property.get("defaultValue") != null) {
				assertThat(values).contains(property.getString("defaultValue"));
			}
		});
	}

	@Test
	void everyChoiceOfOursIsExplained() throws ClassNotFoundException {
		List<Document> choices = new ArrayList<>();
		for (Document property : this.properties) {
			String type = property.getString("type").replaceFirst("<.*", "");
			if (type.startsWith("io.mongolock.") && ClassUtils.forName(type, null).isEnum()) {
				choices.add(property);
				assertThat(values(property.getString("name"))).as(property.toJson())
					.containsExactlyInAnyOrderElementsOf(constants(type));
			}
		}
		assertThat(choices).hasSizeGreaterThan(3);
	}

	private static List<String> constants(String type) throws ClassNotFoundException {
		return Arrays.stream(ClassUtils.forName(type, null).getEnumConstants())
			.map((constant) -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
			.toList();
	}

	private List<String> names() {
		return this.properties.stream().map((property) -> property.getString("name")).toList();
	}

	// All with a description
	private List<String> values(String name) {
		return this.hints.stream()
			.filter((hint) -> hint.getString("name").equals(name))
			.flatMap((hint) -> hint.getList("values", Document.class).stream())
			.filter((value) -> value.getString("description").endsWith("."))
			.map((value) -> value.getString("value"))
			.toList();
	}

	private static List<Document> entries(String kind) {
		try {
			return Collections
				.list(MongoLockProperties.class.getClassLoader()
					.getResources("META-INF/spring-configuration-metadata.json"))
				.stream()
				.filter((file) -> file.toString().contains("mongo-lock"))
				.flatMap((file) -> entries(kind, file))
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Stream<Document> entries(String kind, URL file) {
		try (InputStream json = file.openStream()) {
			return Document.parse(new String(json.readAllBytes(), StandardCharsets.UTF_8))
				.getList(kind, Document.class, List.of())
				.stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
