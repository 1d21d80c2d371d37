/** The text that stands for a value of a Secret, whatever prints or stores it. */
export const masked = '***';
