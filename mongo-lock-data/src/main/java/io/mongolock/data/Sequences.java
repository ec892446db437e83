package io.mongolock.data;

import java.util.Map;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

import io.mongolock.data.store.SequenceStore;

/**
 * Numbers that are given out once, by name: 1, 2, 3 and so on, whatever number of
 * instances asks. They are taken outside of any transaction, like the numbers of a
 * sequence in a relational database, so work that is rolled back leaves a gap, and so
 * does an answer that got lost; no number is given out twice. A sequence needs no
 * declaration. Thread-safe.
 */
public interface Sequences {

	/**
	 * The next number of a sequence.
	 * @param name the name of the sequence
	 * @return the number
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 * @throws DataIntegrityViolationException if there are no more numbers
	 */
	long next(String name);

	/**
	 * The next numbers of a sequence, without a gap between them, in one request.
	 * @param name the name of the sequence
	 * @param count how many, at least 1
	 * @return the numbers
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 * @throws DataIntegrityViolationException if there are not as many any more
	 */
	SequenceRange next(String name, int count);

	/**
	 * Give out only higher numbers from now on, as after an import of documents that have
	 * theirs already. A sequence that is higher stays as it is. Blocks that other
	 * instances have reserved before are not affected.
	 * @param name the name of the sequence
	 * @param number the highest number that is in use, not negative
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is safe
	 */
	void raiseTo(String name, long number);

	/**
	 * Sequences of one collection.
	 * @param store where they are kept
	 * @param settings by names; all others have {@link SequenceSettings#DEFAULT}
	 * @return the sequences
	 */
	static Sequences of(SequenceStore store, Map<String, SequenceSettings> settings) {
		return new StoredSequences(store, settings);
	}

}
