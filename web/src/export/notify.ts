/** A file tells nobody of anything new. */
export const mayAsk = (): boolean => false;
export const askToNotify = async (): Promise<void> => undefined;
export const tellOfQuestions = (): void => undefined;
