package io.mongolock.mongodb;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.cfg.ConstructorDetector;
import tools.jackson.databind.json.JsonMapper;

import io.mongolock.mongodb.store.LeaseSecrets;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTicket}.
 */
class LockTicketTests {

	private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.UTF_8);

	private static final String TOKEN = LeaseSecrets.token(new byte[LeaseSecrets.BYTES], SECRET);

	private static final LockTicket TICKET = new LockTicket(new LeaseId("posts:ü p1", TOKEN), SECRET,
			1801439850948198401L, 5);

	@Test
	void itsTextBringsItBack() {
		LockTicket read = LockTicket.of(TICKET.text());
		assertThat(read).isEqualTo(TICKET).hasSameHashCodeAs(TICKET);
		assertThat(read.key()).isEqualTo("posts:ü p1");
		assertThat(read.fence()).isEqualTo(1801439850948198401L);
		assertThat(read.lease().leaseToken()).isEqualTo(TOKEN);
		assertThat(TICKET.text()).matches("[A-Za-z0-9_-]+");
	}

	@Test
	void itHidesWhatProvesPossession() {
		assertThat(TICKET.toString()).isEqualTo("ticket for lock 'posts:ü p1' (fence 1801439850948198401)")
			.doesNotContain(TOKEN)
			.doesNotContain(TICKET.text());
		assertThat(TICKET.lease().toString()).doesNotContain(TOKEN);
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
			.withMessageContaining("This is no ticket of a document lock");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " ", "abc", "no ticket!", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
	void whatIsNoTicketIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTicket.of(text))
			.withMessageStartingWith("This is no ticket of a document lock: ");
	}

	@Test
	void aTicketThatWasChangedIsRefusedAndNotQuoted() {
		String text = TICKET.text();
		for (int i = 0; i < text.length() - 1; i++) {
			String changed = text.substring(0, i) + ((text.charAt(i) == 'A') ? 'B' : 'A') + text.substring(i + 1);
			assertThatIllegalArgumentException().isThrownBy(() -> LockTicket.of(changed))
				.withMessageNotContaining(changed);
		}
		String cut = text.substring(0, text.length() - 4);
		assertThatIllegalArgumentException().isThrownBy(() -> LockTicket.of(cut)).withMessageContaining("incomplete");
	}

	@Test
	void aTextOfAnyLengthIsRefusedUnread() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockTicket.of("A".repeat(4097)))
			.withMessageContaining("longer than 4096 characters");
		LockTicket tooLong = new LockTicket(new LeaseId("posts:" + "p".repeat(4000), TOKEN), SECRET, 1, 1);
		assertThatIllegalStateException().isThrownBy(tooLong::text).withMessageContaining("too long for a ticket");
	}

	private record Form(LockTicket ticket, String text) {

	}

}
