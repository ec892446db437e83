package io.mongolock.documents;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.cfg.ConstructorDetector;
import tools.jackson.databind.json.JsonMapper;

import io.mongolock.LockOwner;
import io.mongolock.documents.store.LeaseSecrets;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockTicket}.
 */
class LockTicketTests {

	private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);

	private static final String TOKEN = LeaseSecrets.token(new byte[LeaseSecrets.BYTES], SECRET);

	private static final LeaseProof PROOF = new LeaseProof(new LeaseId("posts:ü p1", TOKEN), SECRET,
			1801439850948198401L, 5, 0);

	private static final LockTicket TICKET = PROOF.ticket();

	@Test
	void itsTextBringsItBack() {
		LockTicket read = LockTicket.of(TICKET.text());
		assertThat(read).isEqualTo(TICKET).hasSameHashCodeAs(TICKET);
		assertThat(TICKET.text()).matches("[A-Za-z0-9_-]{43}");
	}

	@Test
	void itProvesOneGrantOfOneToken() {
		LeaseProof proof = LeaseProof.of(TICKET, PROOF.key(), List.of(holder("00", 1), holder(TOKEN, PROOF.fence())))
			.orElseThrow();
		assertThat(proof).usingRecursiveComparison().isEqualTo(PROOF);
		String other = LeaseSecrets.token(SECRET, SECRET);
		for (StoredHolder another : List.of(holder(TOKEN, PROOF.fence() + 1), holder(other, PROOF.fence()),
				holder("text", PROOF.fence()))) {
			assertThat(LeaseProof.of(TICKET, PROOF.key(), List.of(another))).isEmpty();
		}
	}

	private static StoredHolder holder(String token, long fence) {
		return new StoredHolder(token, fence, 1, new LockOwner("", "here", "", 1, "main"), Instant.EPOCH, Instant.EPOCH,
				Duration.ofSeconds(1), null, false, Duration.ZERO, "");
	}

	@Test
	void twoOfAnotherVersionOrDraftAreNotEqual() {
		assertThat(TICKET).isEqualTo(PROOF.at(5).ticket()).isNotEqualTo(PROOF.at(6).ticket());
		assertThat(TICKET.draft(1)).isEqualTo(TICKET.draft(1)).isNotEqualTo(TICKET).isNotEqualTo(TICKET.draft(2));
	}

	@Test
	void itHidesWhatProvesPossession() {
		assertThat(TICKET.toString()).isEqualTo("ticket of a document lock");
		assertThat(PROOF.lease().toString()).doesNotContain(TOKEN);
	}

	@Test
	void aSessionKeepsIt() throws Exception {
		ByteArrayOutputStream session = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(session)) {
			out.writeObject(TICKET);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(session.toByteArray()))) {
			assertThat(in.readObject()).isEqualTo(TICKET).hasToString(TICKET.toString());
		}
		assertThat(ObjectStreamClass.lookup(LockTicket.class).getSerialVersionUID()).isOne();
	}

	@Test
	void inJsonItIsItsText() {
		inJsonItIsItsText(JsonMapper.builder().build());
		inJsonItIsItsText(JsonMapper.builder().constructorDetector(ConstructorDetector.USE_PROPERTIES_BASED).build());
	}

	private static void inJsonItIsItsText(JsonMapper json) {
		String written = json.writeValueAsString(new Form(TICKET, "hello"));
		assertThat(written).isEqualTo("{\"ticket\":\"" + TICKET.text() + "\",\"text\":\"hello\"}");
		assertThat(json.readValue(written, Form.class)).isEqualTo(new Form(TICKET, "hello"));
		assertThatExceptionOfType(JacksonException.class)
			.isThrownBy(() -> json.readValue("{\"ticket\":\"abc\"}", Form.class))
			.withMessageContaining("This text is no ticket of a document lock");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " ", "abc", "no ticket!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
			"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
	void textsThatAreNoTicketAreRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTicket.of(text))
			.withMessage("This text is no ticket of a document lock, because such a ticket has 43 characters (letters, "
					+ "digits, - and _). Pass on the text that LockTicket.text() gave");
	}

	@Test
	void aTicketThatWasChangedProvesNothing() {
		String text = TICKET.text();
		// But for the last character, some bits of which stand for nothing
		for (int i = 0; i < text.length() - 1; i++) {
			LockTicket changed = LockTicket
				.of(text.substring(0, i) + ((text.charAt(i) == 'A') ? 'B' : 'A') + text.substring(i + 1));
			assertThat(LeaseProof.of(changed, PROOF.key(), List.of(holder(TOKEN, PROOF.fence())))).isEmpty();
		}
	}

	private record Form(LockTicket ticket, String text) {

	}

}
