package io.mongolock.faults.spring;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockUnavailableException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Of the arguments of a method only its key is told to anybody, and that above
 * {@code DEBUG} only if something is wrong.
 */
@ReadsOutput
class ArgumentSecrecyTests {

	private static final String KEY = "pay:42";

	private static final Object CARD = new Object() {

		@Override
		public String toString() {
			return "4111-1111";
		}

	};

	@Test
	@ShowsRow(value = 40, level = Level.SPRING)
	void whatIsNotInTheKeyIsToldNowhere(RowFigures figures, CapturedOutput output) {
		figures.server(RowFigures.EMBEDDED);
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString());
				ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), Cashier.class,
						"logging.level.io.mongolock=trace")) {
			Cashier cashier = context.getBean(Cashier.class);
			cashier.pay("42", CARD);
			other.occupy(KEY);
			assertThat(textOf(catchThrowableOfType(LockUnavailableException.class, () -> cashier.pay("42", CARD))))
				.contains(KEY)
				.doesNotContain("4111");
			assertThat(textOf(catchThrowableOfType(IllegalArgumentException.class, () -> cashier.pay(null, CARD))))
				.contains("pay(String, Object)")
				.doesNotContain("4111");
			assertThat(other.template().getCollection(OtherClient.COLLECTION).find().first().toString())
				.doesNotContain("4111");
		}
		assertThat(output).contains(KEY).doesNotContain("4111");
	}

	@Test
	@ShowsRow(value = 40, level = Level.SPRING)
	void withNothingWrongNoKeyIsLogged(RowFigures figures, CapturedOutput output) {
		figures.server(RowFigures.EMBEDDED);
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString());
				ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), Cashier.class,
						"logging.level.io.mongolock=info")) {
			context.getBean(Cashier.class).pay("42", CARD);
			other.occupy(KEY);
			assertThat(catchThrowableOfType(LockUnavailableException.class,
					() -> context.getBean(Cashier.class).pay("42", CARD)))
				.isNotNull();
		}
		assertThat(output).doesNotContain(KEY);
	}

	private static String textOf(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	static class Cashier {

		@DistributedLock(name = "pay", key = "#order", waitTimeout = "0s")
		void pay(String order, Object card) {
		}

	}

}
